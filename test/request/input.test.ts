import { closeSync, mkdirSync, openSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import type { Mode } from '../../src/base/types.ts'
import { makeDirectory, openTestShell } from '../helpers/place.ts'

const modes: readonly Mode[] = ['read', 'write']

describe.each(modes)('%s mode: stdin', (mode) => {
  const shell = openTestShell({ mode })

  it.for(['cat', 'readlink /proc/self/fd/0'])('is /dev/null when nothing is given: %s', async (command) => {
    const { stdout } = await (await shell).execute({ command })
    expect(stdout).toBe(command === 'cat' ? '' : '/dev/null\n')
  })

  it('is the bytes that are given, all 256 values and more than a pipe holds', async () => {
    const stdin = Uint8Array.from({ length: 1_000_000 }, (_, at) => (at * 31) % 256)
    const { stdout } = await (await shell).execute({ command: 'cksum; true', stdin })
    const { stdout: wanted } = await (await shell).execute({ argv: ['cksum'], stdin: Buffer.from(stdin) })
    expect(stdout).toBe(wanted)
    expect(stdout).toMatch(/ 1000000\n$/)
  })

  it('is an open descriptor', async () => {
    const file = join(makeDirectory(), 'input')
    writeFileSync(file, 'from a file\n')
    const stdin = openSync(file, 'r')
    try {
      expect((await (await shell).execute({ command: 'cat', stdin })).stdout).toBe('from a file\n')
    } finally {
      closeSync(stdin)
    }
  })

  it('ends when its stream fails, and the host goes on', async () => {
    const stdin = new Readable({
      read() {
        this.destroy(new Error('on purpose'))
      },
    })
    const result = await (await shell).execute({ command: 'cat; echo end', stdin, timeoutMs: 5000 })
    expect(result).toMatchObject({ timedOut: false, stdout: 'end\n' })
  })

  it('is what a stream brings, more than a pipe holds, and the rest stays in it', async () => {
    const stdin = Readable.from(Array.from({ length: 100 }, () => Buffer.alloc(100_000, 'x')))
    expect((await (await shell).execute({ command: 'head -c 5', stdin })).stdout).toBe('xxxxx')
    const { stdout } = await (await shell).execute({ command: 'wc -c', stdin })
    expect(Number(stdout)).toBeGreaterThan(5_000_000)
  })

  it('does not delay the call beyond its deadline', async () => {
    const stdin = new Readable({ read() {} })
    expect(await (await shell).execute({ command: 'cat', stdin, timeoutMs: 200 })).toMatchObject({
      timedOut: true,
    })
  })
})

describe.each(modes)('%s mode: command and argv', (mode) => {
  const shell = openTestShell({ mode, env: { HOME: '/some/home' } })

  it.for(['-x', '+e', '--'])('a line that begins with %s is a command, not an option', async (line) => {
    const result = await (await shell).execute({ command: line })
    expect(result.exitCode).toBe(127)
  })

  it('the environment of the command is the one asked for its PATH', async () => {
    const directory = makeDirectory()
    writeFileSync(join(directory, 'hello'), '#!/bin/sh\necho hello from here\n', { mode: 0o755 })
    const own = await openTestShell({ mode, env: { PATH: `${directory}:/usr/bin:/bin` } })
    expect((await own.execute({ argv: ['hello'] })).stdout).toBe('hello from here\n')
    expect((await own.execute({ command: 'hello' })).stdout).toBe('hello from here\n')
  })
})

describe.each(modes)('%s mode: cwd', (mode) => {
  const cwd = makeDirectory()
  const shell = openTestShell({ mode, cwd })
  for (const name of ['sub', 'with blank']) mkdirSync(join(cwd, name))
  symlinkSync('sub', join(cwd, 'link'))

  it.for([
    ['sub', 'sub'],
    ['sub/..', ''],
    ['link', 'sub'],
    ['with blank', 'with blank'],
  ] as const)('%s is relative to it', async ([asked, wanted]) => {
    const { stdout } = await (await shell).execute({ command: 'pwd -P', cwd: asked })
    expect(stdout).toBe(`${join(cwd, wanted).replace(/\/$/, '')}\n`)
  })
})

it('read mode: a descriptor whose number becomes that of a writable file opens no way to write', async () => {
  const shell = await openTestShell({ mode: 'read' })
  const directory = makeDirectory()
  const [harmless, victim] = [join(directory, 'harmless'), join(directory, 'victim')]
  writeFileSync(harmless, '')
  writeFileSync(victim, 'as it was')
  // The number changes its meaning before the command starts, or while a thread starts it.
  for (let turns = 0; turns < 60; turns++) {
    const stdin = openSync(harmless, 'r')
    const call = shell.execute({ command: 'echo changed >&0', stdin })
    const ended = call.catch(({ code }) => expect(code).toBe('INVALID_REQUEST'))
    for (let turn = 0; turn < turns; turn++) await undefined
    closeSync(stdin)
    const other = openSync(victim, 'r+')
    await ended
    closeSync(other)
  }
  expect(readFileSync(victim, 'utf8')).toBe('as it was')
})
