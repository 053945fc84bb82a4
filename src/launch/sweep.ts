import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { tried } from '../base/errno.ts'

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

/** None without /proc: a system other than Linux. */
function processes(): number[] {
  return (tried(() => readdirSync('/proc')) ?? []).map(Number).filter((pid) => pid > 1 && pid !== process.pid)
}

/** ENOENT: it has ended. EACCES: it belongs to another user. A zombie has no environment. */
function carries(pid: number, wanted: Buffer): boolean {
  return tried(() => readFileSync(`/proc/${pid}/environ`).includes(wanted)) ?? false
}

/** ESRCH: it has ended meanwhile. */
function kill(pid: number): boolean {
  return tried(() => process.kill(pid, 'SIGKILL')) ?? false
}
