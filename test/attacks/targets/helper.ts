import { spawn, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'

/** A running helper of test/fixtures/attack/outside: one line when ready, one answer for each question. */
interface HelperProcess {
  readonly pid: number
  /** The words of its first line, after "ready". */
  readonly ready: readonly string[]
  ask(): Promise<string>
  stop(): Promise<void>
}

/** Whether the process is gone or a zombie, by its state in /proc. */
export function isDead(pid: number): boolean {
  try {
    return /^State:\s*[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return true // ENOENT: no such process any more
  }
}

/** Starts a helper and waits for its first line. It is a session of its own. */
export async function startHelper(path: string, words: readonly string[]): Promise<HelperProcess> {
  const child = spawn(path, words, { stdio: ['pipe', 'pipe', 'inherit'], detached: true })
  const closed = new Promise<void>((resolve) => child.on('close', () => resolve()))
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const nextLine = async () => {
    const { value, done } = await lines.next()
    if (done) throw new Error(`${path} ended`)
    return value
  }
  const ready = (await nextLine()).split(' ').slice(1)
  const pid = child.pid ?? 0
  child.stdin.on('error', () => {}) // EPIPE: an attack has killed it, which its observers see
  return {
    pid,
    ready,
    ask: async () => {
      if (isDead(pid)) return 'dead'
      child.stdin.write('?\n')
      return nextLine()
    },
    stop: async () => {
      child.kill('SIGKILL')
      await closed
    },
  }
}

/** Runs a program outside the sandbox and returns what it printed. */
export function runOutside(path: string, words: readonly string[]): string {
  const done = spawnSync(path, words, { encoding: 'utf8' })
  if (done.error) throw done.error
  return done.stdout
}
