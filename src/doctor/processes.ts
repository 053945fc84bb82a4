import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { getPriority } from 'node:os'
import { errorCode } from '../base/errno.ts'
import type { Result } from '../internal.ts'
import type { Attempt, Target } from './attempt.ts'

/** A process of the doctor's own that an attempt is made on. */
function onVictim(
  right: string,
  name: string,
  request: (pid: number) => Target['request'],
  touched: (victim: ChildProcess & { readonly pid: number }, result: Result) => boolean | Promise<boolean>,
): Attempt {
  return {
    right,
    name,
    async prepare() {
      const victim = await startVictim()
      return {
        request: request(victim.pid),
        touched: (result) => touched(victim, result),
        clear: () => void victim.kill('SIGKILL'),
      }
    },
  }
}

async function startVictim(): Promise<ChildProcess & { readonly pid: number }> {
  const victim = spawn('sleep', ['120'], { stdio: 'ignore' })
  await new Promise<void>((resolve, reject) => {
    victim.once('spawn', resolve)
    victim.once('error', reject)
  })
  return victim as ChildProcess & { readonly pid: number }
}

/** include/linux/sched.h: set when do_exit begins. */
const PF_EXITING = 0x4

/**
 * Whether a process of one thread can still do something, by its /proc/PID/stat (proc_pid_stat(5)). One that has ended
 * stays there until its parent has waited for it. One that is ending never leaves the kernel again, and from Linux 6.11 on
 * it has left its filter by then: a busy machine lets it wait there, shown as running, when its command is already over.
 */
export function canAct(stat: string): boolean {
  const [state = 'X', , , , , , flags] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return state !== 'Z' && state !== 'X' && (Number(flags) & PF_EXITING) === 0
}

/** Whether the process is there and can do something. */
export function isAlive(pid: number): boolean {
  try {
    return canAct(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch (error) {
    const code = errorCode(error)
    if (code === 'ENOENT' || code === 'ESRCH') return false
    throw error
  }
}

/** A signal takes a moment to end a process. */
export async function hasEnded(pid: number, withinMs: number): Promise<boolean> {
  for (const deadline = Date.now() + withinMs; isAlive(pid); ) {
    if (Date.now() > deadline) return false
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  return true
}

/** Opens the memory and reads where the stack is: what ptrace(2) would be asked for. */
const readMemory = (pid: number) => `
const fs = require('fs')
const [, start] = /^([0-9a-f]+)-.*\\[stack\\]$/m.exec(fs.readFileSync('/proc/${pid}/maps', 'utf8'))
fs.readSync(fs.openSync('/proc/${pid}/mem', 'r'), Buffer.alloc(8), 0, 8, Number.parseInt(start, 16))`

const kill = onVictim(
  'signals',
  'kill a process outside',
  (pid) => ({ command: `kill -TERM ${pid}` }),
  // A kill that says it was allowed gets time to work: its victim may have to wait for a processor to end on.
  ({ pid }, { exitCode }) => hasEnded(pid, exitCode === 0 ? 5000 : 100),
)

/** setpriority(2) */
const lowestPriority = 19

const renice = onVictim(
  'other processes',
  'change the priority of a process outside',
  (pid) => ({ command: `renice -n ${Math.min(getPriority() + 1, lowestPriority)} -p ${pid}` }),
  ({ pid }) => getPriority(pid) !== getPriority(),
)

const memory = onVictim(
  'other processes',
  'read the memory of a process outside',
  (pid) => ({ argv: [process.execPath, '-e', readMemory(pid)] }),
  (_, { exitCode }) => exitCode === 0,
)

const survivor: Attempt = {
  right: 'survivors',
  name: 'leave a process behind in a session of its own',
  prepare() {
    let pid = 0
    return {
      request: { command: 'setsid sleep 120 > /dev/null 2>&1 & echo $!' },
      touched({ stdout }) {
        pid = Number(stdout)
        return pid > 1 && isAlive(pid)
      },
      clear() {
        if (pid > 1 && isAlive(pid)) process.kill(pid, 'SIGKILL')
      },
    }
  },
}

/** Attempts on processes: those of others, and those that should not stay. */
export const processAttempts: readonly Attempt[] = [kill, renice, memory, survivor]
