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
})
