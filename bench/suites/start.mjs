// Starting a command: from the call to its result, at a small heap and with 1.5 GB held.
import { execa } from 'execa'
import { plain, succeeded } from '../lib/commands.mjs'
import { hold } from '../lib/memory.mjs'
import { withPosixSpawn } from '../lib/posix-spawn.mjs'
import { ratioRows } from '../lib/rows.mjs'
import { withShells } from '../lib/shells.mjs'
import { interleave } from '../lib/stats.mjs'

const heldBytes = 1.5e9

/** In a process as it begins. @param {{ quick: boolean }} options */
export function start({ quick }) {
  return measure('start, small heap', { rounds: quick ? 80 : 500, target: 0.6 })
}

/** In a process that has grown. @param {{ quick: boolean }} options */
export async function held({ quick }) {
  const kept = hold(heldBytes)
  const rows = await measure('start, 1.5 GB held', { rounds: quick ? 10 : 60, target: 0.04 })
  if (kept.objects.length === 0) throw new Error('nothing was held')
  return rows
}

/** @param {string} suite @param {{ rounds: number, target: number }} options */
function measure(suite, { rounds, target }) {
  return withContenders(async ({ read, write, posixSpawn }) => {
    const blocked = { 'JS thread blocked by spawn()': [], 'JS thread blocked by execute()': [] }
    const samples = await interleave(
      {
        'child_process.spawn': () =>
          measured(blocked['JS thread blocked by spawn()'], () => plain('sh', ['-c', ':'])),
        'vitrine, read mode': () =>
          measured(blocked['JS thread blocked by execute()'], () =>
            read.execute({ command: ':' }).then(succeeded),
          ),
        'vitrine, write mode': () => measured([], () => write.execute({ command: ':' }).then(succeeded)),
        'posix_spawn by C, the limit': posixSpawn,
        'execa 9': () => measured([], () => execa('sh', ['-c', ':'], { stdin: 'ignore' })),
      },
      { rounds, warmUp: Math.ceil(rounds / 10) },
    )
    return [
      ...ratioRows(suite, samples, {
        targets: { 'vitrine, read mode': target, 'vitrine, write mode': target },
      }),
      ...ratioRows(`${suite}: the synchronous part`, counted(blocked, rounds)),
    ]
  })
}

/**
 * @template T
 * @param {(contenders: { read: import('../../dist/index.js').Shell, write: import('../../dist/index.js').Shell, posixSpawn: () => Promise<number> }) => Promise<T>} use
 */
function withContenders(use) {
  return withPosixSpawn((posixSpawn) => withShells(({ read, write }) => use({ read, write, posixSpawn })))
}

/** Every second run of a turn counts, and no warm-up. @param {Record<string, number[]>} samples @param {number} rounds */
function counted(samples, rounds) {
  return Object.fromEntries(
    Object.entries(samples).map(([name, all]) => [name, all.filter((_, at) => at % 2 === 1).slice(-rounds)]),
  )
}

/**
 * @param {number[]} blocked gets how long the call itself kept this thread, in milliseconds
 * @param {() => Promise<unknown>} call
 * @returns {Promise<number>} milliseconds to the end
 */
async function measured(blocked, call) {
  const started = performance.now()
  const ended = call()
  blocked.push(performance.now() - started)
  await ended
  return performance.now() - started
}
