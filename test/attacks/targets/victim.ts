import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Arrange, Outside, Target } from '../attack.ts'
import { files } from './files.ts'
import { isDead, runOutside, startHelper } from './helper.ts'

/** Fields of proc_pid_stat(5) after the command, counted from 0: nice 16, real-time priority 37, policy 38. */
const STAT_FIELDS = [1, 2, 3, 16, 37, 38] as const

function observeStat(pid: number): readonly (string | undefined)[] {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  return STAT_FIELDS.map((field) => fields[field])
}

/** The lines of /proc/PID/status that another process can change. A sleeper may be seen awake: both are alive. */
function observeStatus(pid: number): readonly string[] {
  const kept = /^(Name|State|TracerPid|SigPnd|ShdPnd|Cpus_allowed|Mems_allowed):/
  const lines = readFileSync(`/proc/${pid}/status`, 'utf8').split('\n')
  return lines
    .filter((line) => kept.test(line))
    .map((line) => line.replace(/^State:\s*[RSD].*/, 'State: alive'))
}

/** Some files of another process can be read by root only. */
function readOrCode(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    return error instanceof Error && 'code' in error ? String(error.code) : 'unreadable'
  }
}

function observeProcess(outside: Outside, pid: number): unknown {
  if (isDead(pid)) return 'dead'
  const read = (name: string) => readOrCode(`/proc/${pid}/${name}`)
  return {
    stat: observeStat(pid),
    status: observeStatus(pid),
    limits: read('limits'),
    badness: read('oom_score_adj'),
    slack: read('timerslack_ns'),
    coreFilter: read('coredump_filter'),
    ioPriority: runOutside(outside.programs.look, ['io-priority', String(pid)]),
  }
}

/** A process of the test's own. It maps the file `page` and keeps the file `other` open for writing. */
export const victim: Arrange = async (outside): Promise<Target> => {
  const held = await files(outside)
  const { file = '', other = '' } = held.offers
  const helper = await startHelper(outside.programs.victim, [file, other])
  const [pid = '', address = '', descriptor = ''] = helper.ready
  return {
    offers: { ...held.offers, pid, address, descriptor, proc: join('/proc', pid) },
    observe: () => [observeProcess(outside, helper.pid), readFileSync(file), readFileSync(other)],
    dispose: async () => {
      await helper.stop()
      await held.dispose()
    },
  }
}
