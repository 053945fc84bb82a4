import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Shell } from '../../src/shell.ts'
import { makeDirectory, openTestShell } from '../helpers/place.ts'

let cwd: string
let shell: Shell

beforeAll(async () => {
  cwd = makeDirectory()
  shell = await openTestShell({ mode: 'read', cwd })
})

/** Puts bytes into a file that a command can print. */
function fileOf(bytes: string | Uint8Array): string {
  const path = join(makeDirectory(), 'bytes')
  writeFileSync(path, bytes)
  return path
}

async function collect(argv: readonly string[]) {
  const chunks: Record<'stdout' | 'stderr', Buffer[]> = { stdout: [], stderr: [] }
  const result = await shell.execute(
    { argv },
    { onOutput: (stream, chunk) => void chunks[stream].push(Buffer.from(chunk)) },
  )
  return { result, stdout: Buffer.concat(chunks.stdout), stderr: Buffer.concat(chunks.stderr) }
}

describe('bytes', () => {
  it('all 256 values arrive through onOutput and stand in the scratchpad', async () => {
    const bytes = Uint8Array.from({ length: 25_600 }, (_, at) => at % 256)
    const { result, stdout } = await collect(['cat', fileOf(bytes)])
    expect(stdout.equals(bytes)).toBe(true)
    expect(result).toMatchObject({ binary: true, bytes: bytes.length })
    expect(readFileSync(result.scratchpad?.path ?? '').equals(bytes)).toBe(true)
  })

  it('50 MB keep their hash on the way to the scratchpad', async () => {
    const mebibytes = 50
    const line = `node -e "const b = Buffer.alloc(1 << 20); for (let i = 0; i < ${mebibytes}; i++) { for (let j = 0; j < b.length; j += 4) b.writeUInt32LE((i * 2654435761 + j * 40503) >>> 0, j); require('fs').writeSync(1, b) }"`
    const hash = createHash('sha256')
    const result = await shell.execute({ command: line }, { onOutput: (_, chunk) => void hash.update(chunk) })
    const expected = createHash('sha256')
    const block = Buffer.alloc(1 << 20)
    for (let i = 0; i < mebibytes; i++) {
      for (let j = 0; j < block.length; j += 4) block.writeUInt32LE((i * 2654435761 + j * 40503) >>> 0, j)
      expected.update(block)
    }
    const wanted = expected.digest('hex')
    expect(result.bytes).toBe(mebibytes << 20)
    expect(hash.digest('hex')).toBe(wanted)
    const saved = readFileSync(result.scratchpad?.path ?? '')
    expect(createHash('sha256').update(saved).digest('hex')).toBe(wanted)
    expect(result.scratchpad?.bytes).toBe(saved.length)
  })

  it('an early NUL makes it binary, a late one and bytes above 127 do not', async () => {
    const cases: [Uint8Array, boolean][] = [
      [Buffer.from('a\0b'), true],
      [Buffer.from([0xff, 0xfe, 0x41]), false],
      [Buffer.from('plain'), false],
      [Buffer.concat([Buffer.alloc(8191, 'x'), Buffer.from('\0')]), true],
      [Buffer.concat([Buffer.alloc(8192, 'x'), Buffer.from('\0')]), false],
    ]
    for (const [bytes, binary] of cases)
      expect((await collect(['cat', fileOf(bytes)])).result.binary).toBe(binary)
  })

  it('output that is not UTF-8 is shown with replacements, and saved as it is', async () => {
    const bytes = Buffer.from([0x61, 0xff, 0xc3, 0x28, 0xe2, 0x82, 0x0a])
    const { result } = await collect(['cat', fileOf(bytes)])
    expect(result.stdout).toBe(bytes.toString('utf8'))
    expect(result.stdout).toContain('\uFFFD')
    expect(readFileSync(result.scratchpad?.path ?? '').equals(bytes)).toBe(true)
  })

  it('well-formed text goes to no scratchpad unless asked for', async () => {
    const { result } = await collect(['printf', 'é'])
    expect(result).not.toHaveProperty('scratchpad')
    const asked = await shell.execute({ command: 'printf é', scratchpad: 'asked' })
    expect(asked.scratchpad).toMatchObject({ name: expect.stringMatching(/^asked/), bytes: 2 })
    expect(readFileSync(asked.scratchpad?.path ?? '', 'utf8')).toBe('é')
  })

  it('a name that is taken gets another file', async () => {
    const first = await shell.execute({ command: 'printf 1', scratchpad: 'same' })
    const second = await shell.execute({ command: 'printf 2', scratchpad: 'same' })
    expect(readFileSync(first.scratchpad?.path ?? '', 'utf8')).toBe('1')
    expect(readFileSync(second.scratchpad?.path ?? '', 'utf8')).toBe('2')
  })

  it('nothing at all is nothing', async () => {
    expect((await collect(['true'])).result).toMatchObject({
      output: '',
      stdout: '',
      stderr: '',
      bytes: 0,
      binary: false,
    })
  })
})

describe('text', () => {
  it('characters that are written in pieces come out whole', async () => {
    const text = 'aé€𝄞ü'
    const octal = [...Buffer.from(text)].map(
      (byte) => `printf '\\${byte.toString(8).padStart(3, '0')}'; sleep 0.01`,
    )
    const result = await shell.execute({ command: octal.join('; ') })
    expect(result.stdout).toBe(text)
    expect(result.output).toBe(text)
    expect(result).not.toHaveProperty('scratchpad')
  })

  it('characters across the borders of pipe reads come out whole', async () => {
    const wide = await openTestShell({ mode: 'read', toml: '[output]\ninline_max_chars = 1000000\n' })
    const text = `x${'€'.repeat(200_000)}`
    const result = await wide.execute({ argv: ['cat', fileOf(text)] })
    expect(result.stdout === text).toBe(true)
  })

  it('a character that is cut on stderr does not spoil stdout', async () => {
    const result = await shell.execute({ command: "printf '\\342\\202' >&2; printf 'é'; printf '\\254' >&2" })
    expect(result).toMatchObject({ stdout: 'é', stderr: '€' })
  })

  it('a byte order mark stays', async () => {
    const { result } = await collect(['cat', fileOf('\uFEFFtext')])
    expect(result.stdout).toBe('\uFEFFtext')
  })

  it('line ends and control characters stay', async () => {
    const text = 'a\r\nb\rc\n\n\x1b[31mred\x1b[0m\x07\t'
    expect((await collect(['cat', fileOf(text)])).result.stdout).toBe(text)
  })
})

describe('output that is too long to show', () => {
  const limit = 1000

  /** Head, the count that the line between states, and tail. That line begins a new one, where the text did not. */
  function parts(text: string, shown: string) {
    const match = /^([\s\S]*)\[\.\.\. (\d+) bytes? omitted \.\.\.\]\n([\s\S]*)$/.exec(shown)
    const before = match?.[1] ?? ''
    const head = text.startsWith(before) ? before : before.slice(0, -1)
    return { head, left: Number(match?.[2]), tail: match?.[3] ?? '' }
  }

  async function limited() {
    return openTestShell({ mode: 'read', toml: `[output]\ninline_max_chars = ${limit}\n` })
  }

  it('at the limit it is shown whole', async () => {
    const result = await (await limited()).execute({ argv: ['cat', fileOf('x'.repeat(limit))] })
    expect(result.output).toBe('x'.repeat(limit))
    expect(result).not.toHaveProperty('scratchpad')
  })

  it.for([
    ['one over', 'y'.repeat(limit + 1)],
    ['ASCII', Array.from({ length: 5000 }, (_, at) => `${at}\n`).join('')],
    ['two bytes each', 'é'.repeat(30_001)],
    ['three bytes each', `a${'€'.repeat(30_000)}`],
    ['replacement characters of its own', '\uFFFDé'.repeat(20_000)],
    ['surrogate pairs', `a${'𝄞'.repeat(30_000)}`],
  ] as const)('head, tail and count are exact: %s', async ([, text]) => {
    const result = await (await limited()).execute({ argv: ['cat', fileOf(text)] })
    const { head, left, tail } = parts(text, result.output)
    expect(text.startsWith(head)).toBe(true)
    expect(text.endsWith(tail)).toBe(true)
    expect(head.length).toBeGreaterThanOrEqual(limit / 2 - 20)
    expect(tail.length).toBeGreaterThanOrEqual(limit / 2 - 20)
    expect(head.length + tail.length).toBeLessThanOrEqual(limit)
    expect(Buffer.byteLength(head) + left + Buffer.byteLength(tail)).toBe(Buffer.byteLength(text))
    expect(result.bytes).toBe(Buffer.byteLength(text))
    expect(head.includes('\uFFFD') || tail.includes('\uFFFD')).toBe(text.includes('\uFFFD'))
    expect(readFileSync(result.scratchpad?.path ?? '', 'utf8') === text).toBe(true)
  })

  it('each stream is cut by itself', async () => {
    const result = await (await limited()).execute({ command: 'echo short >&2; seq 5000' })
    expect(result.stderr).toBe('short\n')
    expect(parts('1\n', result.stdout).left).toBeGreaterThan(0)
  })

  it('a limit of one character still counts', async () => {
    const tiny = await openTestShell({ mode: 'read', toml: '[output]\ninline_max_chars = 1\n' })
    const result = await tiny.execute({ command: 'printf abcdef' })
    const { head, left, tail } = parts('abcdef', result.output)
    expect(head.length + left + tail.length).toBe(6)
  })
})
