import { getEventListeners } from 'node:events'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { makeDirectory, openTestShell } from '../helpers/place.ts'

let cwd: string
const made = (name: string) => existsSync(join(cwd, name))
beforeEach(() => {
  cwd = makeDirectory()
})

describe('executeAll', () => {
  it('runs in order, and has a result for each', async () => {
    const shell = await openTestShell({ cwd, mode: 'write' })
    const results = await shell.executeAll(['echo one > log', 'echo two >> log', 'cat log'])
    expect(results.map(({ exitCode }) => exitCode)).toEqual([0, 0, 0])
    expect(results[2]?.stdout).toBe('one\ntwo\n')
  })

  it.each([
    ['a non-zero exit', 'exit 3'],
    ['a signal', 'kill -KILL $$'],
    ['its deadline', 'sleep 30'],
  ])('stops at the first failure: %s', async (_, failing) => {
    const shell = await openTestShell({ cwd, mode: 'write' })
    const results = await shell.executeAll(['true', failing, 'touch after'], { timeoutMs: 1000 })
    expect(results).toHaveLength(2)
    expect(made('after')).toBe(false)
  })

  it('goes on when told to', async () => {
    const shell = await openTestShell({ cwd, mode: 'write' })
    const results = await shell.executeAll(['exit 3', 'sleep 30', 'touch after'], {
      ignoreErrors: true,
      timeoutMs: 1000,
    })
    expect(results.map(({ outcome }) => outcome.kind)).toEqual(['exited', 'timed-out', 'exited'])
    expect(made('after')).toBe(true)
  })

  it('each is decided about before the first starts: a denied third one means that nothing ran', async () => {
    const shell = await openTestShell({ cwd, mode: 'write', toml: '[policy]\ndeny = ["git push"]\n' })
    const all = shell.executeAll(['touch first', 'touch second', 'git push'], { ignoreErrors: true })
    await expect(all).rejects.toMatchObject({ code: 'DENIED', message: expect.stringContaining('git push') })
    expect(made('first')).toBe(false)
  })

  it('a third one that is not approved means that nothing ran', async () => {
    const asked: string[] = []
    const shell = await openTestShell({
      cwd,
      mode: 'write',
      approver: async ({ command }) => {
        asked.push(command)
        return command === 'touch third' ? 'no' : 'yes'
      },
    })
    const all = shell.executeAll(['touch first', 'touch second', 'touch third', 'touch fourth'])
    await expect(all).rejects.toMatchObject({ code: 'NOT_APPROVED' })
    expect(asked).toEqual(['touch first', 'touch second', 'touch third'])
    expect(made('first')).toBe(false)
  })

  it('an invalid last one means that nothing ran', async () => {
    const shell = await openTestShell({ cwd, mode: 'write' })
    await expect(shell.executeAll(['touch first', ' '])).rejects.toMatchObject({ code: 'INVALID_REQUEST' })
    await expect(shell.executeAll(['touch first', { command: 'ls', cwd: '/nowhere' }])).rejects.toMatchObject(
      {
        code: 'INVALID_REQUEST',
      },
    )
    expect(made('first')).toBe(false)
  })

  it('the mode is that of the beginning, whatever is set while it runs', async () => {
    const shell = await openTestShell({ cwd })
    const onOutput = () => {
      shell.mode = 'write'
    }
    const results = await shell.executeAll(['echo runs; sleep 0.1', 'touch second'], { onOutput })
    expect(shell.mode).toBe('write')
    expect(results.map(({ mode }) => mode)).toEqual(['read', 'read'])
    expect(made('second')).toBe(false)
  })

  it('workDir is where all run, unless one names its own', async () => {
    mkdirSync(join(cwd, 'below'))
    const shell = await openTestShell({ cwd })
    const results = await shell.executeAll(['pwd', { command: 'pwd', cwd: '/' }, { argv: ['pwd'] }], {
      workDir: 'below',
    })
    expect(results.map(({ stdout }) => stdout.trim())).toEqual([join(cwd, 'below'), '/', join(cwd, 'below')])
  })

  it('output streams as it comes, in order', async () => {
    const shell = await openTestShell({ cwd })
    let seen = ''
    await shell.executeAll(['echo one', 'echo two >&2'], {
      onOutput: (_, chunk) => {
        seen += String(chunk)
      },
    })
    expect(seen).toBe('one\ntwo\n')
  })

  it('aborted in the first, the second does not start, and the results say what ran', async () => {
    const shell = await openTestShell({ cwd, mode: 'write' })
    const caller = new AbortController()
    const all = shell.executeAll(['touch first; sleep 30', 'touch second'], {
      signal: caller.signal,
      ignoreErrors: true,
    })
    await expect.poll(() => made('first'), { timeout: 10_000 }).toBe(true)
    caller.abort()
    expect(await all).toMatchObject([{ cancelled: true }])
    expect(made('second')).toBe(false)
  })

  it('returns the results so far when its signal aborts between two commands', async () => {
    const shell = await openTestShell({ cwd, mode: 'write' })
    const caller = new AbortController()
    Object.assign(shell.scratchpad, { describe: () => caller.abort() })
    const first = { command: 'echo one', scratchpad: 'first' }
    const results = await shell.executeAll([first, 'touch after'], { signal: caller.signal })
    expect(results).toMatchObject([{ stdout: 'one\n', cancelled: false }])
    expect(made('after')).toBe(false)
  })

  it('one signal ends many commands, without a warning of Node, and keeps no listener', async () => {
    const shell = await openTestShell({ cwd })
    const caller = new AbortController()
    const { signal } = caller
    const warnings: string[] = []
    const note = ({ name }: Error) => warnings.push(name)
    process.on('warning', note)
    await shell.execute({ command: 'true' }, { signal })
    expect(getEventListeners(signal, 'abort')).toEqual([])
    const all = Array.from({ length: 12 }, () => shell.execute({ command: 'sleep 30' }, { signal }))
    await expect.poll(() => getEventListeners(signal, 'abort').length).toBe(1)
    caller.abort()
    expect((await Promise.all(all)).every(({ cancelled }) => cancelled)).toBe(true)
    expect(getEventListeners(signal, 'abort')).toEqual([])
    process.off('warning', note)
    expect(warnings).toEqual([])
  })

  it('a list refused in the middle keeps the results of what ran', async () => {
    const shell = await openTestShell({ cwd, mode: 'write' })
    mkdirSync(join(cwd, 'sub'))
    const list = shell.executeAll(['echo one; rmdir ../sub', 'echo two'], { workDir: 'sub' })
    await expect(list).rejects.toMatchObject({ code: 'INVALID_REQUEST', results: [{ stdout: 'one\n' }] })
    await expect(shell.executeAll(['echo one', ''])).rejects.toMatchObject({ results: [] })
  })

  it('an empty list is done', async () => {
    expect(await (await openTestShell({ cwd })).executeAll([])).toEqual([])
  })

  it('an input stream is shared, and one that has ended does not block', async () => {
    const { Readable } = await import('node:stream')
    const stdin = Readable.from(['text\n'])
    const shell = await openTestShell({ cwd, mode: 'write' })
    const results = await shell.executeAll(
      Array.from({ length: 12 }, () => ({ command: 'cat >> read', stdin })),
      { timeoutMs: 10_000 },
    )
    expect(results.map(({ outcome }) => outcome.kind)).toEqual(Array(12).fill('exited'))
    expect(readFileSync(join(cwd, 'read'), 'utf8')).toBe('text\n')
  })
})
