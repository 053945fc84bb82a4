import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { openShell } from '../../src/shell.ts'
import { openAudited } from '../audit/place.ts'
import { makeDirectory, openTestShell } from '../helpers/place.ts'
import { aliveWith, makeMarker } from '../helpers/processes.ts'

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

it('a request that is changed after the call runs, and is logged, as it was', async () => {
  const { shell, lines } = await openAudited()
  const request = { command: 'echo first', env: { WORD: 'first' } }
  const call = shell.execute(request)
  Object.assign(request, { command: 'echo second' })
  expect((await call).stdout).toBe('first\n')
  expect(lines()).toMatchObject([{ command: 'echo first' }])
})

it('bytes for standard input are those of the call', async () => {
  const shell = await openTestShell({ mode: 'read' })
  const stdin = Buffer.from('first')
  const call = shell.execute({ command: 'cat', stdin })
  stdin.fill('x')
  expect((await call).stdout).toBe('first')
})

it.each(['read', 'write'] as const)(
  '%s mode: what a closed shell had not started yet never runs',
  async (mode) => {
    const shell = await openTestShell({ mode })
    const running = shell.execute({ command: 'sleep 20' })
    const closed = shell.close()
    await expect(running).rejects.toMatchObject({ code: 'INVALID_REQUEST' })
    await closed
  },
)

it('a closed shell has written the lines of what it ended, also of the rest of a list', async () => {
  const { shell, lines } = await openAudited()
  const marker = makeMarker()
  const command = `exec sleep ${marker}`
  const calls = [shell.execute({ command }), shell.executeAll([command, 'true'])]
  await vi.waitFor(() => expect(aliveWith(marker)).toHaveLength(2))
  await shell.close()
  expect(
    lines()
      .map(({ outcome }) => outcome)
      .sort(),
  ).toEqual(['cancelled', 'cancelled', 'not-started'])
  await Promise.all(calls)
})

it('closing a shell ends the question that its approver has not answered', async () => {
  let asked: AbortSignal | undefined
  const shell = await openTestShell({
    mode: 'write',
    toml: '[policy]\nask = ["true"]',
    approver: ({ signal }) => {
      asked = signal
      return new Promise(() => {})
    },
  })
  const call = shell.execute({ command: 'true' })
  call.catch(() => {})
  await vi.waitFor(() => expect(asked).toBeDefined())
  await shell.close()
  expect(asked?.aborted).toBe(true)
  await expect(call).rejects.toMatchObject({ code: 'NOT_APPROVED' })
})

describe('the decision about a command', () => {
  it.for([
    ['read', 'ls'],
    ['read', 'git --version'],
    ['read', 'rm missing || true'],
    ['write', 'ls'],
  ] as const)(
    'is the same from decide() as in the result of execute(): %s mode, %s',
    async ([mode, command]) => {
      const approver = async () => 'no' as const
      const shell = await openShell({ mode, cwd: makeDirectory(), approver })
      const { decision } = await shell.execute({ command })
      expect(await shell.decide({ command })).toEqual(decision)
      await shell.close()
    },
  )
})

it('a pager among the variables of an allowed command is asked about, and cat is not', async () => {
  const cwd = makeDirectory()
  const toml = '[policy]\nallow = ["git log"]\nunattended = "deny"\n'
  const shell = await openTestShell({ cwd, mode: 'write', toml })
  const decide = async (env: Record<string, string | undefined>) =>
    (await shell.decide({ command: 'git log', env })).verdict
  for (const name of ['GIT_PAGER', 'PAGER', 'MANPAGER']) {
    expect(await decide({ [name]: './evil' })).toBe('ask')
    expect(await decide({ [name]: undefined })).toBe('ask')
    expect(await decide({ [name]: 'cat' })).toBe('allow')
  }
})
