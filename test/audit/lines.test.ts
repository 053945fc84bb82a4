import { readFileSync, statSync } from 'node:fs'
import { userInfo } from 'node:os'
import { dirname } from 'node:path'
import { expect, it } from 'vitest'
import { words } from '../helpers/words.ts'
import { openAudited } from './place.ts'

const fields = words(`
  version event time handoffs host user pid session mode backend cwd command argv decision approval outcome refusal exitCode signal
  limited denials bytes protected hosts scratchpad survivorsKilled background durationMs
`)

it('a command has one line with every field', async () => {
  const { shell, log, lines } = await openAudited()
  const before = new Date().toISOString()
  await shell.execute({ command: 'printf abc; exit 3' })
  const [line] = lines()
  expect(lines()).toHaveLength(1)
  expect(Object.keys(line ?? {}).sort()).toEqual([...fields].sort())
  expect(line).toMatchObject({
    ...{ version: 1, event: 'command', pid: process.pid, user: userInfo().username },
    session: shell.scratchpad.session,
    ...{ mode: 'read', backend: 'local', cwd: shell.cwd, command: 'printf abc; exit 3', argv: null },
    ...{ approval: null, outcome: 'exited', exitCode: 3, signal: null, refusal: null, denials: [], bytes: 3 },
  })
  expect(line?.time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  expect(String(line?.time) >= before).toBe(true)
  // The log and its directory are the user's own, and the lock is not to be read.
  const modes = [dirname(log), log, `${log}.lock`].map((path) => (statSync(path).mode & 0o777).toString(8))
  expect(modes).toEqual(['700', '600', '200'])
})

it('what was refused stands in it, as in the result', async () => {
  const { shell, lines } = await openAudited()
  const { denials } = await shell.execute({ command: 'touch a; touch a' })
  expect(denials.length).toBeGreaterThan(0)
  expect(lines()[0]?.denials).toEqual(denials)
})

it('a command of several lines is one line, and output that is not UTF-8 is only counted', async () => {
  const { shell, log, lines } = await openAudited()
  const command = "printf '\\377\\376'\ntrue '\n\u2028\u0000'".replace('\u0000', '')
  await shell.execute({ command })
  expect(readFileSync(log, 'utf8').match(/\n/g)).toHaveLength(1)
  expect(lines()[0]).toMatchObject({ command, bytes: 2 })
})

it('how it ended is told: a signal, the deadline, an abort, too much output', async () => {
  const { shell, lines } = await openAudited({ toml: '[output]\nmax_bytes = 1000' })
  const abort = new AbortController()
  const onOutput = () => abort.abort()
  await shell.execute({ command: 'kill -9 $$' })
  await shell.execute({ command: 'sleep 60', timeoutMs: 50 })
  await shell.execute({ command: 'echo begun; sleep 60' }, { signal: abort.signal, onOutput })
  await shell.execute({ command: 'yes' })
  const outcomes = lines().map(({ outcome }) => outcome)
  expect(outcomes).toEqual(['signalled', 'timed-out', 'cancelled', 'output-limit'])
  expect(lines()[0]?.signal).toBe('SIGKILL')
})

it('what never ran has a line that says why', async () => {
  const { shell, lines } = await openAudited({
    mode: 'write',
    toml: '[policy]\nunattended = "deny"\ndeny = ["forbidden"]\n[shell]\nsandbox = false',
  })
  const [timeout, other] = [new DOMException('', 'TimeoutError'), Object.create(null)]
  const tried: readonly (readonly [request: object, code: string, signal?: AbortSignal])[] = [
    [{ command: 'forbidden x' }, 'DENIED'],
    [{ command: 'touch asked' }, 'NOT_APPROVED'],
    [{ argv: ['cat', 'x'], cwd: '/not/there' }, 'INVALID_REQUEST'],
    [{ command: ' ' }, 'INVALID_REQUEST'],
    [{ command: 7 }, 'INVALID_REQUEST'],
    [{ command: 'true' }, 'ABORTED', AbortSignal.abort()],
    [{ command: 'true 1' }, 'ABORTED', AbortSignal.abort(timeout)],
    [{ command: 'true 2' }, 'ABORTED', AbortSignal.abort(other)],
    [{ command: 'ls' }, 'WRITE_MODE_REQUIRED'],
  ]
  for (const [request, code, signal] of tried) {
    if (code === 'WRITE_MODE_REQUIRED') shell.mode = 'read'
    const end = shell.execute(request as never, { signal })
    expect((await Promise.allSettled([end]))[0]?.status).toBe('rejected')
    const { command = null } = request as { readonly command?: unknown }
    expect(lines().at(-1)).toMatchObject({
      ...{ outcome: 'refused', command: command === 7 ? null : command, refusal: { code } },
      ...{ exitCode: null, bytes: null, durationMs: null },
    })
  }
  const source = expect.stringContaining('config.toml')
  expect(lines()).toHaveLength(tried.length)
  expect(lines()[0]?.decision).toMatchObject({ verdict: 'deny', rules: [{ source }, { rule: 'unlisted' }] })
})

it('who was asked, and what the answer was', async () => {
  const answers = (['yes', 'no', 'same', 'all'] as const).values()
  const approver = async () => answers.next().value ?? Promise.reject(new Error('tired'))
  const { shell, lines } = await openAudited({ mode: 'write', approver })
  for (const at of [0, 1, 2, 2, 3, 4]) await shell.execute({ command: `touch ${at}` }).catch(() => undefined)
  shell.revoke()
  await shell.execute({ command: 'touch 5' }).catch(() => undefined)
  const approval = (asked: boolean, answer: string, standing: string | null = null) => {
    return { by: 'approver', asked, answer, standing }
  }
  expect(lines().map((line) => line.approval)).toEqual([
    approval(true, 'yes'),
    approval(true, 'no'),
    approval(true, 'same'),
    approval(false, 'yes', 'same'),
    approval(true, 'all'),
    approval(false, 'yes', 'all'),
    approval(true, 'none'),
  ])
})

it('without an approver the configuration answers', async () => {
  const toml = '[policy]\nask = ["touch"]'
  const ruled = await openAudited({ mode: 'write', toml })
  await ruled.shell.execute({ command: 'touch x' })
  const approval = { by: 'unattended', asked: false, answer: 'yes', standing: null }
  expect(ruled.lines()[0]?.approval).toEqual(approval)
  const { shell, lines } = await openAudited({ mode: 'write' })
  await shell.execute({ command: 'touch x' })
  expect(lines()[0]).toMatchObject({ decision: { verdict: 'allow', held: false }, approval: null })
})

it('of a list with one that is refused, none has run, and each has its line', async () => {
  const { shell, lines } = await openAudited({ toml: '[policy]\ndeny = ["forbidden"]' })
  await expect(shell.executeAll(['true', 'forbidden'])).rejects.toMatchObject({ code: 'DENIED' })
  expect(lines().map(({ command, outcome }) => [command, outcome])).toEqual([
    ['forbidden', 'refused'],
    ['true', 'not-started'],
  ])
})

it('a command in a terminal has its line when it ends, and so has one that never started', async () => {
  const { shell, lines } = await openAudited({ toml: '[policy]\ndeny = ["forbidden"]' })
  const terminal = await shell.start({ command: 'test -t 1 && exit 7', pty: true })
  await terminal.result
  await expect(shell.start({ command: 'forbidden', pty: true })).rejects.toMatchObject({ code: 'DENIED' })
  await expect(shell.start({ argv: ['/not/there'], pty: true })).rejects.toMatchObject({
    code: 'SPAWN_FAILED',
  })
  expect(lines().map(({ outcome, exitCode, refusal }) => [outcome, exitCode, refusal?.code])).toEqual([
    ['exited', 7, undefined],
    ['refused', null, 'DENIED'],
    ['refused', null, 'SPAWN_FAILED'],
  ])
})

it('the policy guards the log of write mode as it guards its own configuration', async () => {
  const { shell, log } = await openAudited({ mode: 'write' })
  for (const path of [log, `${log}.lock`, `${log}.1`])
    expect(await shell.decide({ command: `rm ${path}` })).toMatchObject({ verdict: 'deny' })
})
