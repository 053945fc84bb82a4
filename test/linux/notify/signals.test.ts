import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { type User, users } from '../../attacks/table.ts'
import { whyNot } from '../../helpers/other-users.ts'
import { makeDirectory } from '../../helpers/place.ts'
import { aliveWith, endAll, makeMarker, processEntry, waitFor } from '../../helpers/processes.ts'
import { compileFixture } from '../../helpers/programs.ts'
import { runAs } from '../../helpers/run-as.ts'
import { shorts } from './denied.ts'

let signaller: string

beforeAll(() => {
  signaller = compileFixture('signaller')
  chmodSync(dirname(signaller), 0o755)
  chmodSync(signaller, 0o755)
})

/** Reported whichever process they are for. */
const rare = ['sigqueue', 'tgsigqueue', 'pidfd', 'directory'] as const
/** Reported for who is older than the command: to wait for an answer would take one signal in forty from its own children. */
const common = ['kill', 'group', 'tkill', 'tgkill'] as const

interface Attempt {
  readonly marker: string
  readonly victim: ChildProcess
}

/** A process of that user's, of a group of its own, that ends at SIGTERM. */
function startVictim({ uid, gid }: User, marker: string): ChildProcess {
  const credentials = uid === process.getuid?.() ? {} : { uid, gid }
  return spawn('sleep', [marker], { stdio: 'ignore', detached: true, cwd: '/', ...credentials })
}

async function endVictim({ marker, victim }: Attempt): Promise<string | undefined> {
  const state = processEntry(victim.pid ?? 0)?.state
  await endAll(marker)
  if (victim.exitCode === null && victim.signalCode === null) await once(victim, 'exit')
  return state
}

/** Signals a process outside, twice, that is older than the command. */
async function signalOlder(user: User, way: string) {
  const marker = makeMarker()
  const victim = startVictim(user, marker)
  const pid = String(victim.pid)
  const errand = { options: { mode: 'read', cwd: '/' }, commands: [[signaller, way, pid, pid]] } as const
  const [result] = await runAs(user, errand)
  return { result, pid, state: await endVictim({ marker, victim }) }
}

/** The same with one that was started after the command, which waits for its number. */
async function signalYounger(user: User, way: string) {
  const marker = makeMarker()
  const word = makeMarker()
  const file = join(makeDirectory(), 'pid')
  chmodSync(dirname(file), 0o755)
  const line = `until test -s ${file}; do sleep 0.01; done; read pid < ${file}; ${signaller} ${way} $pid $pid; : ${word}`
  const run = runAs(user, { options: { mode: 'read', cwd: '/' }, commands: [['sh', '-c', line]] })
  await waitFor(() => aliveWith(word).length > 0)
  const victim = startVictim(user, marker)
  writeFileSync(file, `${victim.pid}\n`)
  const [result] = await run
  return { result, pid: String(victim.pid), state: await endVictim({ marker, victim }) }
}

const refused = { stdout: 'EPERM\nEPERM\n' }
const told = (way: string, pid: string) => [`signal ${way === 'group' ? 'group' : 'pid'} ${pid} x2`]

describe.for(users)('as $name, to a process outside of the same user', (user) => {
  const reason = whyNot(user)

  it.for([...common, ...rare])('%s is refused, and counted', async (way, { skip }) => {
    if (reason) return skip(reason)
    const { result, pid, state } = await signalOlder(user, way)
    expect(result).toMatchObject(refused)
    expect(state).toMatch(/[RS]/)
    expect(shorts(result ?? { denials: [] })).toEqual(told(way, pid))
  })

  it.for(rare)(
    '%s is refused and counted when that is younger than the command, too',
    async (way, { skip }) => {
      if (reason) return skip(reason)
      const { result, pid, state } = await signalYounger(user, way)
      expect(result).toMatchObject(refused)
      expect(state).toMatch(/[RS]/)
      expect(shorts(result ?? { denials: [] })).toEqual(told(way, pid))
    },
  )

  it.for(common)(
    '%s is refused when that is younger than the command; it may go unreported',
    async (way, { skip }) => {
      if (reason) return skip(reason)
      const { result, pid, state } = await signalYounger(user, way)
      expect(result).toMatchObject(refused)
      expect(state).toMatch(/[RS]/)
      expect([[], told(way, pid)]).toContainEqual(shorts(result ?? { denials: [] }))
    },
  )

  it('its own children get them all, and nothing is counted', async ({ skip }) => {
    if (reason) return skip(reason)
    const commands = [...common, ...rare].map((way) => [signaller, way, 'children', '30'])
    const results = await runAs(user, { options: { mode: 'read', cwd: '/' }, commands })
    for (const [at, result] of results.entries())
      expect({ ran: commands[at], stdout: result.stdout, denied: shorts(result) }).toEqual({
        ran: commands[at],
        stdout: '30 died\n',
        denied: [],
      })
  })

  it('a question is none', async ({ skip }) => {
    if (reason) return skip(reason)
    const argv = [signaller, 'question', String(process.pid)]
    const [result] = await runAs(user, { options: { mode: 'read', cwd: '/' }, commands: [argv] })
    expect(result).toMatchObject({ stdout: 'EPERM\n', denials: [] })
  })
})

/**
 * What came of making kill(2) wait for an answer: the shell's handler of SIGCHLD has no SA_RESTART, a child that dies
 * interrupts the call that waits to be picked up (seccomp_unotify(2)), and one in forty failed with EINTR.
 */
it('a shell ends thirty children in a row without being interrupted', async () => {
  const rounds =
    'for r in 1 2 3 4 5 6 7 8; do pids=; for i in $(seq 30); do sleep 30 & pids="$pids $!"; done; kill $pids; wait; done'
  const [user] = users
  if (!user) throw new Error('there is always the current user')
  const [result] = await runAs(user, {
    options: { mode: 'read', cwd: '/' },
    commands: [['sh', '-c', rounds]],
  })
  expect(result).toMatchObject({ exitCode: 0, stderr: '', denials: [] })
})
