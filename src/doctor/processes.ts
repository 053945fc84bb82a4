import { type ChildProcess, spawn } from 'node:child_process'
import { getPriority } from 'node:os'
import { statFields } from '../base/process.ts'
import { systemTool } from '../base/program-path.ts'
import type { Result } from '../internal.ts'
import type { Attempt, Target } from './attempt.ts'

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
  const victim = spawn(systemTool('sleep') ?? '/bin/sleep', ['120'], { stdio: 'ignore' })
  await new Promise<void>((resolve, reject) => {
    victim.once('spawn', resolve)
    victim.once('error', reject)
  })
  return victim as ChildProcess & { readonly pid: number }
}

/** include/linux/sched.h: set when do_exit begins. */
const PF_EXITING = 0x4

/**
 * Whether a single-threaded process can still act, by its /proc/PID/stat. A zombie and an exiting process
 * cannot; since Linux 6.11 the latter, which has released its filter, may outlast its command on a busy
 * machine.
 */
export function canAct(fields: ReturnType<typeof statFields>): boolean {
  const { 3: state = 'X', 9: flags } = fields ?? []
  return state !== 'Z' && state !== 'X' && (Number(flags) & PF_EXITING) === 0
}

export function isAlive(pid: number): boolean {
  return canAct(statFields(pid))
}

/** Polls until the process ends: a signal takes a moment. */
export async function hasEnded(pid: number, withinMs: number): Promise<boolean> {
  for (const deadline = Date.now() + withinMs; isAlive(pid); ) {
    if (Date.now() > deadline) return false
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  return true
}

/** Opens the memory and reads from the stack, which needs the same permission as ptrace(2). */
const readMemory = (pid: number) => `
const fs = require('fs')
const [, start] = /^([0-9a-f]+)-.*\\[stack\\]$/m.exec(fs.readFileSync('/proc/${pid}/maps', 'utf8'))
fs.readSync(fs.openSync('/proc/${pid}/mem', 'r'), Buffer.alloc(8), 0, 8, Number.parseInt(start, 16))`

const kill = onVictim(
  'signals',
  'kill a process outside',
  (pid) => ({ command: `kill -TERM ${pid}` }),
  // If kill reports success, allow time: on a busy machine the victim may wait for a CPU before it ends.
  ({ pid }, { exitCode }) => hasEnded(pid, exitCode === 0 ? 5000 : 100),
)

/** The highest value of setpriority(2). */
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

export const processAttempts: readonly Attempt[] = [kill, renice, memory, survivor]
