// How much code of ours runs before a command starts: distinct functions between the call of execute() and the addon's spawn().
import { Session } from 'node:inspector'
import { succeeded } from '../lib/commands.mjs'
import { valueRow } from '../lib/rows.mjs'
import { withShells } from '../lib/shells.mjs'

const suite = 'start: functions of dist/ from execute() to spawn()'
const most = 45
const dist = new URL('../../dist/', import.meta.url).href

/** @typedef {{ spawn: (...given: unknown[]) => unknown }} Addon */

export function calls() {
  const addon = whenLoaded()
  return withShells(async ({ read, write }) => [
    valueRow(suite, 'read mode', [await countOf(read, addon())], '', { most }),
    valueRow(suite, 'write mode', [await countOf(write, addon())], ''),
  ])
}

/** The addon, once a shell has loaded it. @returns {() => Addon} */
function whenLoaded() {
  const { dlopen } = process
  /** @type {Addon | undefined} */
  let addon
  process.dlopen = (module, ...others) => {
    Reflect.apply(dlopen, process, [module, ...others])
    addon = Reflect.get(module, 'exports')
  }
  return () => {
    if (!addon) throw new Error('no addon was loaded')
    return addon
  }
}

/** Of the third call: what is made once is there. @param {import('../../dist/index.js').Shell} shell @param {Addon} addon */
async function countOf(shell, addon) {
  for (let warmUp = 0; warmUp < 2; warmUp++) succeeded(await shell.execute({ command: 'true' }))
  const { spawn } = addon
  const coverage = startCoverage()
  let count = 0
  addon.spawn = (...given) => {
    count = coverage
      .take()
      .filter(({ url }) => url.startsWith(dist))
      .flatMap(calledIn).length
    return spawn(...given)
  }
  try {
    coverage.take()
    succeeded(await shell.execute({ command: 'true' }))
    return count
  } finally {
    addon.spawn = spawn
    coverage.stop()
  }
}

/** @param {import('node:inspector').Profiler.ScriptCoverage} script */
function calledIn({ functions }) {
  return functions.filter(({ ranges }) => (ranges[0]?.count ?? 0) > 0)
}

/** V8's precise coverage: `take` returns what has been called since the last time. */
function startCoverage() {
  const session = new Session()
  session.connect()
  session.post('Profiler.enable')
  session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true })
  return {
    take() {
      /** @type {import('node:inspector').Profiler.ScriptCoverage[]} */
      let taken = []
      session.post('Profiler.takePreciseCoverage', (error, { result }) => {
        if (error) throw error
        taken = result
      })
      return taken
    },
    stop: () => session.disconnect(),
  }
}
