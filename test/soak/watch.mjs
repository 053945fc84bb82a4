// What the host holds between two rounds, while nothing runs, and what of it is a leak.
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

// Node opens a few descriptors and starts a few threads of its own, and there are at most eight notifiers.
export const slack = { descriptors: 6, threads: 10, rss: 64e6, heap: 24e6 }

const median = (numbers) => numbers.toSorted((a, b) => a - b)[numbers.length >> 1]

/** What one look alone says. */
export function faultsOf(look, ground) {
  const faults = []
  if (look.left.length > 0) faults.push(`survivors: ${look.left.join(', ')}`)
  if (look.children.length > 0) faults.push(`children: ${look.children.join('; ')}`)
  if (look.watchers !== 1) faults.push(`${look.watchers} watchers`)
  if (look.temporary.length > 0) faults.push(`left in TMPDIR: ${look.temporary.join(', ')}`)
  if (look.outputs.length > 0) faults.push(`left in the scratchpad: ${look.outputs.join(', ')}`)
  if (look.ground !== ground) faults.push('the directory that read mode looked at has changed')
  return faults
}

/** What grew: the last quarter of the looks against the second, when caches are full. */
export function growthOf(looks) {
  if (looks.length < 8) return []
  const quarter = looks.length >> 2
  const before = looks.slice(quarter, 2 * quarter)
  const after = looks.slice(-quarter)
  return Object.entries(slack).flatMap(([what, most]) => {
    const [from, to] = [before, after].map((part) => median(part.map((look) => look[what])))
    return to - from > most ? [`${what} grew from ${from} to ${to}`] : []
  })
}
