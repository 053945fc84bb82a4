// What the host holds between two rounds, while nothing runs.
import { lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { ownChildren, survivors, waitFor } from './processes.mjs'

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc')

const isWatcher = ({ commandLine }) => commandLine.startsWith('vitrine-watcher')
const strangers = () => ownChildren().filter((child) => !isWatcher(child))

/** Names, kinds, sizes and times of everything beneath: it must never change. */
export function snapshot(directory) {
  return readdirSync(directory, { recursive: true })
    .sort()
    .map((name) => {
      const { mode, size, mtimeMs, ctimeMs } = lstatSync(join(directory, name))
      return `${name} ${mode} ${size} ${mtimeMs} ${ctimeMs}`
    })
    .join('\n')
}

// Private directories are made in it; it stays.
const ownDirectory = `vitrine-${process.getuid()}`

// Outputs on disk are removed by the step that made them; their descriptions stay with the scratchpad.
function outputsOnDisk(directory) {
  const entries = readdirSync(directory, { recursive: true, withFileTypes: true })
  return entries.filter((entry) => entry.isFile() && !entry.name.endsWith('.json')).map(({ name }) => name)
}

/** Looks at this process, once what has ended had a second to go. */
export async function look(place, token) {
  const left = await survivors(token, 1000)
  await waitFor(() => strangers().length === 0, 1000)
  collectGarbage()
  const { rss, heapUsed } = process.memoryUsage()
  return {
    left,
    children: strangers().map(({ pid, state, commandLine }) => `${pid} ${state} ${commandLine}`),
    watchers: ownChildren().filter((child) => isWatcher(child) && child.running).length,
    // The directory that is read is one itself.
    descriptors: readdirSync('/proc/self/fd').length - 1,
    threads: readdirSync('/proc/self/task').length,
    rss,
    heap: heapUsed,
    temporary: readdirSync(place.temporary, { recursive: true }).filter((name) => name !== ownDirectory),
    outputs: outputsOnDisk(place.state),
    ground: snapshot(place.ground),
  }
}
