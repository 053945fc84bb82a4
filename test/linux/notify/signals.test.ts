import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Result } from '../../../src/base/types.ts'
import { buildPrograms } from '../../attacks/build.ts'
import { type User, users } from '../../attacks/table.ts'
import { whyNot } from '../../helpers/other-users.ts'
import { makeDirectory, openTestShell } from '../../helpers/place.ts'
import { aliveWith, makeMarker, processEntry, waitFor } from '../../helpers/processes.ts'
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

/** A line that signals it twice in each of the ways. */
const twice = (which: readonly string[], pid: string) =>
  which.map((way) => `'${signaller}' '${way}' ${pid}; '${signaller}' '${way}' ${pid}`).join('; ')

const options = { mode: 'read', cwd: '/' } as const

/** A process of that user's, in a group of its own. */
function startVictim({ uid, gid }: User) {
  const credentials = uid === process.getuid?.() ? {} : { uid, gid }
  const victim = spawn('sleep', ['300'], { stdio: 'ignore', detached: true, cwd: '/', ...credentials })
  /** Ends it. Its state before. */
  const end = async () => {
    const state = processEntry(victim.pid ?? 0)?.state
    victim.kill('SIGKILL')
    if (victim.exitCode === null && victim.signalCode === null) await once(victim, 'exit')
    return state
  }
  return { pid: String(victim.pid), end }
}

/** Signals a process outside in each way, twice, that is older than the command. Again where the process ids began anew meanwhile. */
async function signalOlder(
  user: User,
): Promise<{ pid: string; results: Result[]; state: string | undefined }> {
  const { pid, end } = startVictim(user)
  const results = await runAs(user, { options, commands: ways.map((way) => ['sh', '-c', twice([way], pid)]) })
  const state = await end()
  return spawnSync('true').pid > Number(pid) ? { pid, results, state } : signalOlder(user)
}

/** The same with a process that is started after the command, which waits for its number. */
async function signalYounger(user: User) {
  const directory = makeDirectory()
  chmodSync(directory, 0o755)
  const [marker, file] = [makeMarker(), join(directory, 'pid')]
  const line = `until test -s ${file}; do sleep 0.01; done; read pid < ${file}; ${twice(ways, '$pid')}; : ${marker}`
  const running = runAs(user, { options, commands: [['sh', '-c', line]] })
  await waitFor(() => aliveWith(marker).length > 0)
  const { pid, end } = startVictim(user)
  writeFileSync(file, `${pid}\n`)
  const [result] = await running
  return { pid, result, state: await end() }
}

describe.for(users)('as $name, to a process outside of the same user', (user) => {
  const reason = whyNot(user)
  let older: Awaited<ReturnType<typeof signalOlder>>
  beforeAll(async () => {
    if (!reason) older = await signalOlder(user)
  })

  it.for(ways)('%s is refused, and counted', (way, { skip }) => {
    if (reason) return skip(reason)
    const { pid, results, state } = older
    const result = results[ways.indexOf(way)]
    expect(result).toMatchObject({ stdout: 'errno EPERM\n'.repeat(2) })
    expect(state).toMatch(/[RS]/)
    const told = `signal ${way === 'kill group' ? 'group' : 'pid'} ${pid} x2`
    expect(shorts(result ?? { denials: [] })).toEqual([told])
  })

  it('they are refused when that is younger than the command, too, and the rarer ones counted', async ({
    skip,
  }) => {
    if (reason) return skip(reason)
    const { pid, result, state } = await signalYounger(user)
    expect(result).toMatchObject({ stdout: 'errno EPERM\n'.repeat(2 * ways.length) })
    expect(state).toMatch(/[RS]/)
    const counts = result?.denials.filter(({ address }) => address === `pid ${pid}`).map(({ count }) => count)
    expect(counts?.reduce((sum, count) => sum + count, 0)).toBeGreaterThanOrEqual(2 * rare.length)
  })

  it('its own children get them all, and nothing is counted', async ({ skip }) => {
    if (reason) return skip(reason)
    const commands = ways.map((way) => [signaller, 'children', way])
    const results = await runAs(user, { options, commands })
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
    const [result] = await runAs(user, { options, commands: [argv] })
    expect(result).toMatchObject({ stdout: 'errno EPERM\n', denials: [] })
  })
})

/** Eight times thirty children that a shell of read mode ends. Again where the process ids began anew meanwhile. */
async function endChildren(user: User): ReturnType<typeof runAs> {
  const rounds =
    'for r in 1 2 3 4 5 6 7 8; do pids=; for i in $(seq 30); do sleep 30 & pids="$pids $!"; done; kill $pids; wait; done'
  const first = spawnSync('true').pid
  const results = await runAs(user, {
    options,
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

it.runIf(process.platform === 'linux')(
  'without the scope of Landlock a signal is told, and a test is none',
  async () => {
    const { pid, end } = startVictim(users[0] as User)
    const shell = await openTestShell({ host: probing({ landlockAbi: 5 }), mode: 'read' })
    for (const [command, told] of [
      [`kill -0 ${pid}`, []],
      [`/bin/kill -TERM ${pid}`, [`signal pid ${pid}`]],
      [`/bin/kill -TERM -- -${pid}`, [`signal group ${pid}`]],
    ] as const) {
      const result = await shell.execute({ command })
      expect([command, result.exitCode, shorts(result)]).toEqual([command, 1, told])
    }
    expect(await end()).toMatch(/[RS]/)
  },
)
