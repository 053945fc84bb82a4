import { readdirSync } from 'node:fs'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { ownChildren } from './processes.ts'

/** What this process holds. */
interface Resources {
  readonly descriptors: number
  readonly threads: number
  readonly zombies: number
  /** Running children that are no watcher. */
  readonly children: number
  readonly watchers: number
  /** Bytes, after a garbage collection. */
  readonly memory: number
}

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

/** Looks at this process from its own /proc directory. */
export function resources(): Resources {
  collectGarbage()
  const children = ownChildren()
  const isWatcher = (commandLine: string) => commandLine.startsWith('vitrine-watcher')
  return {
    // The directory that is read is one itself.
    descriptors: readdirSync('/proc/self/fd').length - 1,
    threads: readdirSync('/proc/self/task').length,
    zombies: children.filter(({ state }) => state === 'Z').length,
    children: children.filter(({ state, commandLine }) => state !== 'Z' && !isWatcher(commandLine)).length,
    watchers: children.filter(({ running, commandLine }) => running && isWatcher(commandLine)).length,
    memory: process.memoryUsage.rss(),
  }
}
