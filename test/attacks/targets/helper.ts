import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

/** A running helper of test/fixtures/attack/outside: one line when ready, one answer for each question. */
interface HelperProcess {
  readonly pid: number
  /** The words of its first line, after "ready". */
  readonly ready: readonly string[]
  ask(): Promise<string>
  stop(): Promise<void>
}

/** Hands out lines of a stream one by one. */
function lineReader(child: ChildProcess): () => Promise<string> {
  const lines: string[] = []
  const waiting: { resolve(line: string): void; reject(cause: Error): void }[] = []
  let rest = ''
  let ended: Error | null = null
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    const parts = (rest + text).split('\n')
    rest = parts.pop() ?? ''
    for (const line of parts) {
      const next = waiting.shift()
      if (next) next.resolve(line)
      else lines.push(line)
    }
  })
  child.on('close', (code, signal) => {
    ended = new Error(`${child.spawnfile} ended: ${code ?? signal}`)
    for (const { reject } of waiting.splice(0)) reject(ended)
  })
  return () => {
    const line = lines.shift()
    if (line !== undefined) return Promise.resolve(line)
    if (ended) return Promise.reject(ended)
    return new Promise((resolve, reject) => waiting.push({ resolve, reject }))
  }
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
  const nextLine = lineReader(child)
  const closed = new Promise<void>((resolve) => child.on('close', () => resolve()))
  const ready = (await nextLine()).split(' ').slice(1)
  const pid = child.pid ?? 0
  child.stdin?.on('error', () => {}) // EPIPE: an attack has killed it, which its observers see
  return {
    pid,
    ready,
    ask: () => {
      if (isDead(pid)) return Promise.resolve('dead')
      child.stdin?.write('?\n')
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
