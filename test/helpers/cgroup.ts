import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Where this machine keeps groups with a limit of memory, and the file that sets it: cgroups(7). */
const places = [
  { root: '/sys/fs/cgroup/memory', limit: 'memory.limit_in_bytes', marker: 'memory.limit_in_bytes' },
  { root: '/sys/fs/cgroup', limit: 'memory.max', marker: 'cgroup.controllers' },
]

/** A group of processes with a limit of memory of its own. */
interface MemoryGroup {
  /** Shell words that put the shell into it. */
  readonly enter: string
  /** How often the kernel has killed a process in it for lack of memory. */
  readonly kills: () => number
  /** False while a process is left in it. */
  readonly remove: () => boolean
}

/** Makes one, or says why it cannot be had. */
export function makeMemoryGroup(bytes: number): MemoryGroup | string {
  const place = places.find(({ root, marker }) => existsSync(join(root, marker)))
  if (!place) return 'no cgroup with a limit of memory'
  const directory = join(place.root, `vitrine-test-${process.pid}-${Date.now()}`)
  try {
    mkdirSync(directory)
    writeFileSync(join(directory, place.limit), String(bytes))
  } catch (error) {
    return `no cgroup of its own: ${String(error)}`
  }
  return {
    enter: `echo $$ > ${directory}/cgroup.procs`,
    kills: () => killsIn(directory),
    remove: () => isRemoved(directory),
  }
}

function killsIn(directory: string): number {
  const file = ['memory.events', 'memory.oom_control'].map((name) => join(directory, name)).find(existsSync)
  return Number(/^oom_kill (\d+)$/m.exec(readFileSync(file ?? '', 'utf8'))?.[1] ?? 0)
}

/** False while a process is left in it. */
export function isRemoved(directory: string): boolean {
  try {
    rmdirSync(directory)
    return true
  } catch {
    // EBUSY: a process that has ended is still being taken down.
    return false
  }
}
