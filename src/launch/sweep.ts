import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'

/** An environment variable by which a command's processes are found, whatever session they have moved to. */
export interface Cookie {
  readonly name: string
  readonly value: string
}

export function makeCookie(): Cookie {
  return { name: 'VITRINE_COMMAND', value: `${process.pid.toString(16)}-${randomBytes(12).toString('hex')}` }
}

/** Kills every process that carries the cookie until none is found. Finds nothing without /proc. */
export function sweep({ name, value }: Cookie): number {
  const wanted = Buffer.from(`${name}=${value}`)
  const killed = new Set<number>()
  for (let pass = 0; pass < maxPasses; pass++) {
    const found = processes().filter((pid) => carries(pid, wanted) && kill(pid))
    if (found.length === 0) break
    for (const pid of found) killed.add(pid)
  }
  return killed.size
}

/** A process that forks during one pass is found by the next. */
const maxPasses = 100

function processes(): number[] {
  return listing('/proc')
    .map(Number)
    .filter((pid) => pid > 1 && pid !== process.pid)
}

function listing(path: string): string[] {
  try {
    return readdirSync(path)
  } catch {
    // No /proc: a system other than Linux.
    return []
  }
}

function carries(pid: number, wanted: Buffer): boolean {
  try {
    return readFileSync(`/proc/${pid}/environ`).includes(wanted)
  } catch {
    // ENOENT: it has ended. EACCES: it belongs to another user. A zombie has no environment.
    return false
  }
}

function kill(pid: number): boolean {
  try {
    return process.kill(pid, 'SIGKILL')
  } catch {
    // ESRCH: it has ended meanwhile.
    return false
  }
}
