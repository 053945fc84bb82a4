import { spawnSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { users } from '../attacks/table.ts'
import { runAs } from '../helpers/run-as.ts'

const [user] = users

/** What the command of a host says that was started with a raised priority. */
async function saidBy(wrapper: readonly string[], mode: 'read' | 'workspace' | 'write', file: string) {
  if (!user) throw new Error('there is no user')
  const commands = [['cat', `/proc/self/${file}`]]
  const cwd = mode === 'workspace' ? '/usr' : '/'
  const [result] = await runAs(user, { options: { mode, cwd }, commands, wrapper })
  return result?.stdout ?? ''
}

/** The scheduling policy: proc_pid_stat(5), field 41. */
function policyOf(stat: string): number {
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[41 - 3])
}

/** The hard limit: proc_pid_limits(5). */
function hardLimitOf(limits: string, name: string): string | undefined {
  return new RegExp(`^${name} +\\S+ +(\\S+)`, 'm').exec(limits)?.[1]
}

const realTime = ['chrt', '-r', '1']
const raised = ['prlimit', '--rtprio=7', '--nice=30']
const can = ([program = '', ...words]: readonly string[]) =>
  spawnSync(program, [...words, 'true'], { stdio: 'ignore' }).status === 0

// sched.h: SCHED_OTHER, SCHED_RR
const [ordinary, roundRobin] = [0, 2]

describe.runIf(can(realTime))('a host of real-time priority', () => {
  it.for(['read', 'workspace'] as const)('gives none to a command of %s mode', async (mode) => {
    expect(policyOf(await saidBy(realTime, mode, 'stat'))).toBe(ordinary)
  })

  it('leaves a command of write mode as it is itself', async () => {
    expect(policyOf(await saidBy(realTime, 'write', 'stat'))).toBe(roundRobin)
  })
})

describe.runIf(can(raised))('a host that may raise priorities', () => {
  it.for(['Max realtime priority', 'Max nice priority'])(
    'gives no command of read mode that right: %s',
    async (name) => {
      expect(hardLimitOf(await saidBy(raised, 'read', 'limits'), name)).toBe('0')
      expect(hardLimitOf(await saidBy(raised, 'write', 'limits'), name)).not.toBe('0')
    },
  )
})
