import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { makeDirectory, openTestShell } from '../helpers/place.ts'
import { makeMarker, survivors } from '../helpers/processes.ts'

async function collect(lines: AsyncIterable<string>): Promise<string[]> {
  const all: string[] = []
  for await (const line of lines) all.push(line)
  return all
}

describe.runIf(process.platform !== 'win32')('lines', () => {
  it.each([
    ['ends and empty lines', "printf 'a\\n\\nb\\n'", ['a', '', 'b']],
    ['a last line without an end', "printf 'a\\nb'", ['a', 'b']],
    ['none', 'true', []],
    ['characters that arrive in parts', "printf '\\303'; sleep 0.1; printf '\\244\\n'", ['ä']],
    ['stdout only', 'echo a; echo b >&2; echo c', ['a', 'c']],
  ])('are those of stdout: %s', async (_, command, expected) => {
    const shell = await openTestShell()
    expect(await collect(shell.lines({ command }))).toEqual(expected)
  })

  it('arrive while the command runs, which is held back until they are read', async () => {
    const shell = await openTestShell()
    const lines = shell.lines({ command: 'seq 1000000', timeoutMs: 60_000 })
    let count = 0
    for await (const line of lines) expect(line).toBe(String(++count))
    expect(count).toBe(1_000_000)
    expect(await lines.result).toMatchObject({ exitCode: 0, bytes: 6_888_896 })
  })

  it('a long one comes in parts, and none of it is lost', async () => {
    const shell = await openTestShell()
    const parts = await collect(shell.lines({ command: 'head -c 5000000 /dev/zero | tr "\\0" x' }))
    expect(parts.length).toBeGreaterThan(1)
    expect(parts.join('')).toBe('x'.repeat(5_000_000))
  })

  it('leaving the loop ends the command', async () => {
    const shell = await openTestShell({ mode: 'write' })
    const marker = makeMarker()
    const lines = shell.lines({
      command: 'echo on; sleep 60',
      env: { VITRINE_MARKER: marker },
      timeoutMs: 60_000,
    })
    for await (const line of lines) {
      expect(line).toBe('on')
      break
    }
    expect(await lines.result).toMatchObject({ cancelled: true })
    expect(await survivors(marker)).toEqual([])
  })

  it('a failure is a result, and a refusal is thrown by the loop and by the result', async () => {
    const shell = await openTestShell()
    const failed = shell.lines({ command: 'echo a; exit 3' })
    expect(await collect(failed)).toEqual(['a'])
    expect(await failed.result).toMatchObject({ exitCode: 3 })
    const refused = shell.lines({ command: '' })
    await expect(collect(refused)).rejects.toMatchObject({ code: 'INVALID_REQUEST' })
    await expect(refused.result).rejects.toMatchObject({ code: 'INVALID_REQUEST' })
  })

  it('a refusal that no loop waits for is thrown by the result, and by a later loop', async () => {
    const shell = await openTestShell()
    const refused = shell.lines({ command: '' })
    await expect(refused.result).rejects.toMatchObject({ code: 'INVALID_REQUEST' })
    await new Promise((resolve) => setImmediate(resolve))
    await expect(collect(refused)).rejects.toMatchObject({ code: 'INVALID_REQUEST' })
  })

  it('a signal ends the loop as it ends a call', async () => {
    const shell = await openTestShell()
    const controller = new AbortController()
    const lines = shell.lines(
      { command: 'echo on; sleep 60', timeoutMs: 60_000 },
      { signal: controller.signal },
    )
    for await (const _ of lines) controller.abort()
    expect(await lines.result).toMatchObject({ cancelled: true, stdout: 'on\n' })
    const late = shell.lines({ command: 'true' }, { signal: AbortSignal.abort() })
    await expect(collect(late)).rejects.toMatchObject({ name: 'AbortError' })
  })
})

describe.runIf(process.platform !== 'win32')('the input of a command', () => {
  async function* parts() {
    yield 'a'
    yield Buffer.from('b')
  }
  async function* failing() {
    yield 'a'
    throw new Error('no more')
  }
  it.each<[string, () => string | Uint8Array | Readable | AsyncIterable<string | Uint8Array>, string]>([
    ['a string', () => 'ab', 'ab'],
    ['bytes', () => new Uint8Array([0x61, 0xff]), 'a\ufffd'],
    ['a stream of Node', () => Readable.from(['a', 'b']), 'ab'],
    ['a stream of the web', () => new Blob(['ab']).stream(), 'ab'],
    ['an async iterable', parts, 'ab'],
    ['one that fails', failing, 'a'],
  ])('is %s', async (_, stdin, expected) => {
    const shell = await openTestShell()
    expect(await shell.execute({ command: 'cat', stdin: stdin() })).toMatchObject({ stdout: expected })
  })

  it('is no stream that another reader holds', async () => {
    const shell = await openTestShell()
    const stdin = new Blob(['ab']).stream()
    stdin.getReader()
    const call = shell.execute({ command: 'cat', stdin })
    await expect(call).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
      message: expect.stringContaining('locked'),
    })
  })
})

describe.runIf(process.platform === 'linux')('a shell at the end of its block', () => {
  it('is closed, with its commands', async () => {
    const marker = makeMarker()
    const cwd = makeDirectory()
    writeFileSync(join(cwd, 'f'), '')
    let running: Promise<unknown> | undefined
    {
      await using shell = await openTestShell({ cwd })
      running = shell.execute({ command: 'sleep 60', env: { VITRINE_MARKER: marker }, timeoutMs: 60_000 })
      await new Promise((resolve) => setImmediate(resolve))
    }
    await expect(running).resolves.toMatchObject({ cancelled: true })
    expect(await survivors(marker)).toEqual([])
  })
})
