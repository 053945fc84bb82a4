import { randomInt } from 'node:crypto'
import { readdirSync, readFileSync, statSync } from 'node:fs'

/**
 * A word that stands in the arguments of everything a test starts, and of nothing else on the machine. It is a number of
 * seconds for sleep(1), longer than a test may take: a call that waits for such a process never returns in time.
 */
export function makeMarker(): string {
  return `90.${process.pid}${randomInt(1e12, 9e12)}`
}

interface ProcessEntry {
  readonly pid: number
  readonly parent: number
  readonly session: number
  /** The letter of proc_pid_stat(5), of the first thread. */
  readonly state: string
  /** Whether any thread of it runs. */
  readonly running: boolean
  readonly commandLine: string
}

/** Looks a process up in /proc; undefined when there is none. */
export function processEntry(pid: number): ProcessEntry | undefined {
  return unlessGone(() => {
    // The name before it may hold anything, closing brackets and blanks too.
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const [state = 'X', parent, , session, , , flags] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const own = isRunning(state, flags)
      ? { commandLine: readFileSync(`/proc/${pid}/cmdline`, 'utf8'), running: true }
      : threadsOf(pid)
    return { pid, parent: Number(parent), session: Number(session), state, ...own }
  }, undefined)
}

/** PF_EXITING (include/linux/sched.h): it never leaves the kernel again, but may have to wait for a processor there. */
function isRunning(state: string | undefined, flags: string | undefined): boolean {
  return state !== 'Z' && state !== 'X' && (Number(flags) & 4) === 0
}

/** A process whose first thread has ended shows as a zombie with no command line, while its other threads go on. */
function threadsOf(pid: number): { commandLine: string; running: boolean } {
  const threads = readdirSync(`/proc/${pid}/task`).map((thread) => {
    const stat = readFileSync(`/proc/${pid}/task/${thread}/stat`, 'utf8')
    const [state, , , , , , flags] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return {
      commandLine: readFileSync(`/proc/${pid}/task/${thread}/cmdline`, 'utf8'),
      running: isRunning(state, flags),
    }
  })
  return {
    commandLine: threads.map(({ commandLine }) => commandLine).join(''),
    running: threads.some(({ running }) => running),
  }
}

/** ESRCH is what a read gives when the process ends between open and read. */
function unlessGone<T>(look: () => T, otherwise: T): T {
  try {
    return look()
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : ''
    if (code === 'ENOENT' || code === 'ESRCH') return otherwise
    throw error
  }
}

function processIds(): number[] {
  return readdirSync('/proc')
    .filter((name) => /^[0-9]+$/.test(name))
    .map(Number)
}

/** Every process of the machine, zombies included. */
export function allProcesses(): ProcessEntry[] {
  return processIds()
    .map(processEntry)
    .filter((entry) => entry !== undefined)
}

/** Process ids that carry the marker and run: a zombie has ended. */
export function aliveWith(marker: string): number[] {
  return processIds().filter((pid) => {
    if (pid === process.pid || !mayCarry(pid, marker)) return false
    const entry = processEntry(pid)
    return entry?.running === true && entry.commandLine.includes(marker)
  })
}

/** One read for most: the whole machine is looked through often. */
function mayCarry(pid: number, marker: string): boolean {
  const commandLine = unlessGone(() => readFileSync(`/proc/${pid}/cmdline`, 'utf8'), '')
  return commandLine === '' || commandLine.includes(marker)
}

/** A process that forks and ends all the time can slip through one look. */
const emptyLooks = 4

/** How long tests wait for a state: long enough for a busy machine, shorter than what a test starts would run. */
const patienceMs = 20_000

/** Waits until nothing with the marker runs, over several looks; returns the processes that are left when patience ends. */
export async function survivors(marker: string, withinMs = patienceMs): Promise<number[]> {
  let left: number[] = []
  let empty = 0
  const isEmpty = () => {
    left = aliveWith(marker)
    empty = left.length === 0 ? empty + 1 : 0
    return empty >= emptyLooks
  }
  await waitFor(isEmpty, withinMs)
  return left
}

/** Asks again until it holds or patience ends; returns whether it held. The longer it takes, the rarer it asks. */
export async function waitFor(holds: () => boolean, withinMs = patienceMs): Promise<boolean> {
  const deadline = Date.now() + withinMs
  for (let pauseMs = 10; !holds(); pauseMs = Math.min(100, pauseMs * 1.25)) {
    if (Date.now() > deadline) return false
    await new Promise((resolve) => setTimeout(resolve, pauseMs))
  }
  return true
}

/** Ends what a test left, by process id, so that a failure does not leak into the next test. */
export async function endAll(marker: string): Promise<void> {
  await waitFor(() => {
    const left = aliveWith(marker)
    for (const pid of left) endOne(pid)
    return left.length === 0
  }, 5000)
}

export function endOne(pid: number): void {
  unlessGone(() => process.kill(pid, 'SIGKILL'), false)
}

/** This process's children, zombies included. */
export function ownChildren(): ProcessEntry[] {
  return allProcesses().filter(({ parent }) => parent === process.pid)
}

/** Whether a process holds a lock of flock(2) on the file: it lasts until every process that inherited it has ended. */
export function isLocked(path: string): boolean {
  const inode = statSync(path).ino
  return readFileSync('/proc/locks', 'utf8')
    .split('\n')
    .some((line) => / FLOCK /.test(line) && line.includes(`:${inode} `))
}
