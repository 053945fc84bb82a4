import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import type { Result } from '../../../src/base/types.ts'
import { buildPrograms } from '../../attacks/build.ts'
import { type User, users } from '../../attacks/table.ts'
import { whyNot } from '../../helpers/other-users.ts'
import { makeDirectory, openTestShell } from '../../helpers/place.ts'
import { aliveWith, endAll, makeMarker, processEntry, waitFor } from '../../helpers/processes.ts'
import { runAs } from '../../helpers/run-as.ts'
import { probing } from '../../sandbox/hosts.ts'
import { shorts } from './denied.ts'

/** test/fixtures/attack/processes/signals.c */
const { signals: signaller } = buildPrograms()

/** Reported whichever process they are for. */
const rare = ['rt_sigqueueinfo', 'rt_tgsigqueueinfo', 'pidfd_send_signal', 'pidfd_send_signal /proc'] as const
/** Reported for who is older than the command: to wait for an answer would take one signal in forty from its own children. */
const common = ['kill', 'kill group', 'tkill', 'tgkill'] as const
const ways = [...common, ...rare]
type Way = (typeof ways)[number]

/** A line that signals it twice. */
const twice = (way: Way, pid: string) => `${signaller} '${way}' ${pid}; ${signaller} '${way}' ${pid}`

interface Attempt {
  readonly marker: string
  readonly victim: ChildProcess
}

interface Signalled {
  readonly result: Result
  readonly pid: string
  /** The victim's state afterwards. */
  readonly state: string | undefined
}

/** A process of that user's, of a group of its own, that ends at SIGUSR1. */
function startVictim({ uid, gid }: User): Attempt {
  const marker = makeMarker()
  const credentials = uid === process.getuid?.() ? {} : { uid, gid }
  const options = { stdio: 'ignore', detached: true, cwd: '/', ...credentials } as const
  return { marker, victim: spawn('sleep', [marker], options) }
}

async function endVictim({ marker, victim }: Attempt): Promise<string | undefined> {
  const state = processEntry(victim.pid ?? 0)?.state
  await endAll(marker)
  if (victim.exitCode === null && victim.signalCode === null) await once(victim, 'exit')
  return state
}

/** Signals a process outside in each way, twice, that is older than the command. Again where the process ids began anew meanwhile. */
async function signalOlder(user: User): Promise<Map<Way, Signalled>> {
  const first = spawnSync('true').pid
  const seen = await signalFirst(user)
  return spawnSync('true').pid > first ? seen : signalOlder(user)
}

async function signalFirst(user: User): Promise<Map<Way, Signalled>> {
  const attempts = ways.map(() => startVictim(user))
  const commands = ways.map((way, at) => ['sh', '-c', twice(way, String(attempts[at]?.victim.pid))])
  return signalled(attempts, await runAs(user, { options: { mode: 'read', cwd: '/' }, commands }))
}

/** The same with processes that are started after the command, which waits for their numbers. */
async function signalYounger(user: User): Promise<Map<Way, Signalled>> {
  const directory = makeDirectory()
  chmodSync(directory, 0o755)
  const words = ways.map(makeMarker)
  const commands = ways.map((way, at) => {
    const file = join(directory, String(at))
    const line = `until test -s ${file}; do sleep 0.01; done; read pid < ${file}; ${twice(way, '$pid')}; : ${words[at]}`
    return ['sh', '-c', line]
  })
  const running = runAs(user, { options: { mode: 'read', cwd: '/' }, commands })
  const attempts: Attempt[] = []
  for (const at of ways.keys()) {
    await waitFor(() => aliveWith(words[at] ?? '').length > 0)
    const attempt = startVictim(user)
    attempts.push(attempt)
    writeFileSync(join(directory, String(at)), `${attempt.victim.pid}\n`)
  }
  return signalled(attempts, await running)
}

async function signalled(attempts: readonly Attempt[], results: readonly Result[]) {
  const all = new Map<Way, Signalled>()
  for (const [at, attempt] of attempts.entries()) {
    const [way, result, pid] = [ways[at], results[at], String(attempt.victim.pid)]
    const state = await endVictim(attempt)
    if (way && result) all.set(way, { result, pid, state })
  }
  return all
}

const refused = { stdout: 'errno EPERM\nerrno EPERM\n' }
const told = (way: Way, pid = '') => [`signal ${way === 'kill group' ? 'group' : 'pid'} ${pid} x2`]

describe.for(users)('as $name, to a process outside of the same user', (user) => {
  const reason = whyNot(user)
  let older: Map<Way, Signalled>
  let younger: Map<Way, Signalled>
  beforeAll(async () => {
    if (reason) return
    older = await signalOlder(user)
    younger = await signalYounger(user)
  })

  it.for(ways)('%s is refused, and counted', (way, { skip }) => {
    if (reason) return skip(reason)
    const { result, pid, state } = older.get(way) ?? {}
    expect(result).toMatchObject(refused)
    expect(state).toMatch(/[RS]/)
    expect(shorts(result ?? { denials: [] })).toEqual(told(way, pid))
  })

  it.for(ways)('%s is refused when that is younger than the command, too', (way, { skip }) => {
    if (reason) return skip(reason)
    const { result, pid, state } = younger.get(way) ?? {}
    expect(result).toMatchObject(refused)
    expect(state).toMatch(/[RS]/)
    // Only the rarer ones are always counted.
    const allowed = rare.some((name) => name === way) ? [told(way, pid)] : [[], told(way, pid)]
    expect(allowed).toContainEqual(shorts(result ?? { denials: [] }))
  })

  it('its own children get them all, and nothing is counted', async ({ skip }) => {
    if (reason) return skip(reason)
    const commands = ways.map((way) => [signaller, 'children', way])
    const results = await runAs(user, { options: { mode: 'read', cwd: '/' }, commands })
    for (const [at, result] of results.entries())
      expect({ ran: commands[at], stdout: result.stdout, denied: shorts(result) }).toEqual({
        ran: commands[at],
        stdout: 'ok\n',
        denied: [],
      })
  })

  it('a question is none', async ({ skip }) => {
    if (reason) return skip(reason)
    const argv = [signaller, 'question by pidfd', String(process.pid)]
    const [result] = await runAs(user, { options: { mode: 'read', cwd: '/' }, commands: [argv] })
    expect(result).toMatchObject({ stdout: 'errno EPERM\n', denials: [] })
  })
})

/** Eight times thirty children that a shell of read mode ends. Again where the process ids began anew meanwhile. */
async function endChildren(user: User): ReturnType<typeof runAs> {
  const rounds =
    'for r in 1 2 3 4 5 6 7 8; do pids=; for i in $(seq 30); do sleep 30 & pids="$pids $!"; done; kill $pids; wait; done'
  const first = spawnSync('true').pid
  const results = await runAs(user, {
    options: { mode: 'read', cwd: '/' },
    commands: [['sh', '-c', rounds]],
  })
  return spawnSync('true').pid > first ? results : endChildren(user)
}

/**
 * A kill(2) that waits for an answer fails with EINTR when a child ends, because the shell's handler of SIGCHLD has no SA_RESTART
 * (seccomp_unotify(2)). So one of a younger process does not wait.
 */
it('a shell ends thirty children in a row without being interrupted', async () => {
  const [user] = users
  if (!user) throw new Error('there is always the current user')
  const [result] = await endChildren(user)
  expect(result).toMatchObject({ exitCode: 0, stderr: '', denials: [] })
})

/** A process of this test, and a shell on a kernel whose Landlock does not scope signals. */
async function open() {
  const other = spawn('sleep', ['300'], { detached: true, stdio: 'ignore' })
  const ended = once(other, 'exit')
  onTestFinished(async () => {
    other.kill('SIGKILL')
    await ended
  })
  const shell = await openTestShell({ host: probing({ landlockAbi: 5 }), mode: 'read' })
  return { pid: other.pid ?? 0, other, shell }
}

describe.runIf(process.platform === 'linux')('without the scope of Landlock', () => {
  it('a test whether a process of others exists is refused, and no denial', async () => {
    const { pid, shell } = await open()
    const { denials, exitCode } = await shell.execute({ command: `kill -0 ${pid}` })
    expect({ denials, exitCode }).toEqual({ denials: [], exitCode: 1 })
  })

  it.for(['pid', 'group'] as const)('a signal to a %s of others is refused, and a denial', async (what) => {
    const { pid, other, shell } = await open()
    const target = what === 'group' ? `-- -${pid}` : `${pid}`
    const { denials, exitCode } = await shell.execute({ command: `/bin/kill -TERM ${target}` })
    expect(exitCode).not.toBe(0)
    expect(denials).toMatchObject([{ operation: 'signal', address: expect.stringContaining(String(pid)) }])
    expect([other.exitCode, other.signalCode]).toEqual([null, null])
  })

  it('a process of its own gets its signals', async () => {
    const { shell } = await open()
    const command = `sleep 300 & kill -0 $! && kill $!; wait $!; echo $?`
    expect(await shell.execute({ command })).toMatchObject({ stdout: '143\n', denials: [] })
  })
})
