import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { getPriority } from 'node:os'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Command } from '../../attacks/attack.ts'
import { buildPrograms } from '../../attacks/build.ts'
import { processes, signals } from '../../attacks/groups/processes.ts'
import { whyNot } from '../../helpers/other-users.ts'
import { openTestShell } from '../../helpers/place.ts'
import { processEntry, waitFor } from '../../helpers/processes.ts'
import { isInstalled } from '../../helpers/programs.ts'
import { probing, realAddon } from '../../sandbox/hosts.ts'
import { clearedMarker, compilePrograms, leftOf, type Programs } from '../supervise/escapes.ts'
import { commandsOf, startHost, watchersOf } from './hosts.ts'

/** User ids without an account; the second has a limit of processes for its test. */
const ORDINARY = 64_123
const LIMITED = 64_124
const whyNotAs = (uid: number) => whyNot({ uid, gid: uid })

const programsOfAttacks = buildPrograms()

let programs: Programs
const marked = () => clearedMarker(programs)

beforeAll(() => {
  programs = compilePrograms()
})

/** What a command could have made weaker, from outside. */
function strengthOf(pid: number): unknown {
  const file = (name: string) => readFileSync(`/proc/${pid}/${name}`, 'utf8')
  const line = (text: string, key: string) => new RegExp(`^${key}:.*$`, 'm').exec(text)?.[0]
  return {
    state: processEntry(pid)?.state,
    priority: getPriority(pid),
    oom: file('oom_score_adj'),
    limits: file('limits'),
    affinity: line(file('status'), 'Cpus_allowed'),
    tracer: line(file('status'), 'TracerPid'),
  }
}

const abis = [1, 2, 3, 4, 5, 6, 7].filter((abi) => abi <= realAddon().probe().landlockAbi)

/** Every attempt of the attacks at a process outside, aimed at this one, but for those at the parent: prints what was not refused. */
function assassin(pid: number): string {
  const given = { pid, address: '0x400000', descriptor: 3, proc: `/proc/${pid}` }
  const words = (command: Command) =>
    'script' in command ? [] : [programsOfAttacks[command.program], command.attempt, ...command.arguments]
  const fill = (word = '') =>
    `'${word.replace(/\{(\w+)\}/g, (_, name: keyof typeof given) => String(given[name]))}'`
  const lines = [...signals, ...processes]
    .filter(({ name, expect }) => expect.kind === 'refused' && !name.includes('host'))
    .map(({ name, command }) => `${words(command).map(fill).join(' ')} >/dev/null && echo '${name}'`)
  const stronger = 'chrt -f 1 echo real-time; test $(nice -n -10 nice) -ge 0 || echo niceness'
  return [...lines, stronger, 'echo tried'].join('\n')
}

describe('the watcher cannot be reached from inside', () => {
  it.for(abis)(
    'at Landlock ABI %d it can be neither ended, stopped, slowed down nor read',
    async (landlockAbi) => {
      const shell = await openTestShell({ host: probing({ landlockAbi }), mode: 'read' })
      await shell.execute({ command: 'true' })
      const [watcher = 0, ...more] = watchersOf(process.pid)
      expect(more).toEqual([])
      const before = strengthOf(watcher)
      const result = await shell.execute({ command: assassin(watcher) })
      expect(result.stdout).toBe('tried\n')
      expect(strengthOf(watcher)).toEqual(before)
      expect(before).toMatchObject({ state: 'S' })
    },
  )

  it('in write mode the same programs do reach a process', async () => {
    const marker = marked()
    const shell = await openTestShell({ mode: 'write' })
    const { processes, signals } = programsOfAttacks
    const command = `sleep ${marker} & '${processes}' setpriority $!; '${signals}' SIGSTOP $!`
    expect(await shell.execute({ command })).toMatchObject({ stdout: 'ok\nok\n' })
  })
})

describe('a watcher that is killed', () => {
  it('is followed by another, which ends what the host leaves', async () => {
    const marker = marked()
    const host = startHost('wait', 'read', [`${programs.daemon} 3 stay ${marker}`])
    await host.ready
    for (let turn = 0; turn < 3; turn++) {
      const [watcher = 0] = watchersOf(host.child.pid)
      process.kill(watcher, 'SIGKILL')
      const another = () => watchersOf(host.child.pid).some((pid) => pid !== watcher)
      expect(await waitFor(another)).toBe(true)
      expect(watchersOf(host.child.pid)).toHaveLength(1)
    }
    await host.kill()
    expect(await leftOf(programs, marker)).toEqual([])
  })
})

describe('what a machine lacks does not keep the watcher from its work', () => {
  async function diesWithout(
    marker: string,
    line: string,
    options: Parameters<typeof startHost>[3],
    prepare: (watcher: number) => void,
  ) {
    const host = startHost('wait', 'read', [line], options)
    await host.ready
    expect(commandsOf(host, marker)).not.toEqual([])
    prepare(watchersOf(host.child.pid)[0] ?? 0)
    await host.kill()
    return leftOf(programs, marker)
  }

  it.runIf(isInstalled('prlimit'))('descriptors', async () => {
    const marker = marked()
    const without = (watcher: number) => execFileSync('prlimit', ['--nofile=0:0', '--pid', String(watcher)])
    expect(await diesWithout(marker, `${programs.daemon} 20 stay ${marker}`, {}, without)).toEqual([])
  })

  const loop = (marker: string) =>
    `(exec sh -c 'for i in $(seq 30); do timeout 3 sh -c "while :; do :; done"; done' ${marker}) &`

  it.for([undefined, ORDINARY])(
    'processor time: 30 loops without a pause (user %s)',
    async (uid, { skip }) => {
      const reason = uid === undefined ? null : whyNotAs(uid)
      if (reason) return skip(reason)
      const marker = marked()
      const line = `${loop(marker).repeat(30)} echo started; wait`
      expect(await diesWithout(marker, line, uid === undefined ? {} : { uid }, () => {})).toEqual([])
    },
  )

  it.runIf(isInstalled('prlimit'))('process ids: a fork bomb at the limit of its user', async ({ skip }) => {
    const reason = whyNotAs(LIMITED)
    if (reason) return skip(reason)
    const marker = marked()
    const options = { before: 'prlimit --nproc=100 --pid $$', uid: LIMITED }
    const line = `(for i in $(seq 200); do sleep ${marker} & done); echo started; exec sleep ${marker}`
    expect(await diesWithout(marker, line, options, () => {})).toEqual([])
  })
})

/** SCHED_OTHER 0, SCHED_FIFO 1: field 41 of proc_pid_stat(5). */
function policyOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[38])
}

it.runIf(isInstalled('chrt'))("a real-time host's commands are as weak as others", async ({ skip }) => {
  const marker = marked()
  const before = 'chrt -f -p 1 $$'
  if (spawnSync('sh', ['-c', before]).status !== 0) return skip('real-time priorities are not ours to take')
  const host = startHost('wait', 'read', [`echo started; sleep ${marker}`], { before })
  await host.ready
  const policies = [host.child.pid ?? 0, ...commandsOf(host, marker)].map(policyOf)
  await host.kill()
  expect(policies).toEqual([1, ...policies.slice(1).map(() => 0)])
  expect(policies.length).toBeGreaterThan(1)
})
