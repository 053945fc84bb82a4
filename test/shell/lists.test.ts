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

  it('a list refused in the middle keeps the results of what ran', async () => {
    const shell = await openTestShell({ cwd, mode: 'write' })
    mkdirSync(join(cwd, 'sub'))
    const list = shell.executeAll(['echo one; rmdir ../sub', 'echo two'], { workDir: 'sub' })
    await expect(list).rejects.toMatchObject({ code: 'INVALID_REQUEST', results: [{ stdout: 'one\n' }] })
    await expect(shell.executeAll(['echo one', ''])).rejects.toMatchObject({ results: [] })
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
