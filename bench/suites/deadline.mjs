// When a call returns after its deadline, and when the last process of a killed host is gone (guarantee 3 of the design:
// deadline, grace, and at most one second).
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { aliveWith, end } from '../../test/soak/processes.mjs'
import { valueRow } from '../lib/rows.mjs'
import { withShells } from '../lib/shells.mjs'

const timeoutMs = 500
const graceMs = 100
const mostMs = 1000

const fixtures = fileURLToPath(new URL('../../test/fixtures', import.meta.url))

/** Commands that do not end by themselves: `command(programs, marker)`. Write mode cannot reach the processes of some. */
const rows = [
  { name: 'ends at SIGTERM', command: (_, marker) => `sleep ${marker}` },
  {
    name: 'ignores SIGTERM, and so does its child',
    command: (_, marker) => `trap '' TERM; sleep ${marker} & sleep ${marker}`,
  },
  { name: 'a child holds the pipes', command: (_, marker) => `setsid sleep ${marker} & wait` },
  { name: 'writes without end', command: (_, marker) => `while :; do echo ${marker}; done` },
  { name: 'a stopped group', command: (_, marker) => `sleep ${marker} & kill -STOP 0` },
  { name: '100 daemons', command: ({ daemon }, marker) => `${daemon} 100 stay ${marker}` },
  { name: 'a fork bomb of 200', command: ({ bomb }, marker) => `${bomb} 200 stay ${marker}`, only: 'read' },
]

let commands = 0
/** A length of sleep that stands in the arguments of one command's processes only. */
const nextMarker = () => `90.${process.pid}${String(++commands).padStart(6, '0')}`

/** @param {{ quick: boolean }} options */
export function deadline({ quick }) {
  const runs = quick ? 3 : 20
  return withShells(
    async ({ read, write, directory }) => {
      const programs = { daemon: compile('daemon', directory), bomb: compile('bomb', directory) }
      const measured = []
      for (const row of rows)
        for (const shell of row.only ? [read] : [read, write])
          measured.push(await overruns(shell, row, programs, runs))
      for (const signal of /** @type {const} */ (['SIGKILL', 'SIGTERM']))
        measured.push(await orphans(signal, programs, directory, runs))
      return measured
    },
    { VITRINE_SHELL_KILL_GRACE_MS: String(graceMs) },
  )
}

/** @param {string} name @param {string} directory */
function compile(name, directory) {
  const program = join(directory, name)
  const source = join(fixtures, 'processes', `${name}.c`)
  execFileSync('cc', ['-std=gnu11', '-O1', '-pthread', source, '-o', program])
  return program
}

/**
 * How long after its deadline a call returns.
 * @param {import('../../dist/index.js').Shell} shell
 * @param {{ name: string, command: (programs: Programs, marker: string) => string }} row
 * @param {Programs} programs @param {number} runs
 * @typedef {{ daemon: string, bomb: string }} Programs
 */
async function overruns(shell, { name, command }, programs, runs) {
  const samples = []
  for (let run = 0; run < runs; run++) {
    const marker = nextMarker()
    const began = performance.now()
    const { timedOut } = await shell.execute({ command: command(programs, marker), timeoutMs })
    samples.push(performance.now() - began - timeoutMs)
    const left = aliveWith(marker)
    for (const pid of left) end(pid)
    if (!timedOut || left.length > 0) throw new Error(`${name}: timed out ${timedOut}, left ${left}`)
  }
  const suite = `result after the deadline (grace ${graceMs} ms)`
  return valueRow(suite, `${shell.mode} mode: ${name}`, samples, 'ms', { most: graceMs + mostMs })
}

/**
 * How long the processes of a command outlive their host.
 * @param {NodeJS.Signals} signal @param {Programs} programs @param {string} directory @param {number} runs
 */
async function orphans(signal, { daemon }, directory, runs) {
  const samples = []
  for (let run = 0; run < runs; run++) {
    const marker = nextMarker()
    const args = [join(fixtures, 'host/host.mjs'), directory, 'wait', 'read', `${daemon} 20 stay ${marker}`]
    const host = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
    await once(host.stdout, 'data') // ready
    host.kill(signal)
    await once(host, 'exit')
    const began = performance.now()
    while (aliveWith(marker).length > 0) await new Promise((resolve) => setTimeout(resolve, 1))
    samples.push(performance.now() - began)
  }
  return valueRow('end of a host', `${signal}: until 20 daemons are gone`, samples, 'ms', { most: mostMs })
}
