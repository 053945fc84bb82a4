// npm run soak: mixed commands for a long time, and a look between rounds whether anything stayed. See options.mjs.
// Exit 1 with what failed or leaked. A failed step names how to repeat it.
import { denials } from './actions/denials.mjs'
import { ends } from './actions/ends.mjs'
import { hosts } from './actions/hosts.mjs'
import { limits } from './actions/limits.mjs'
import { output } from './actions/output.mjs'
import { plain } from './actions/plain.mjs'
import { processes } from './actions/processes.mjs'
import { readOptions } from './options.mjs'
import { makePlace, openShells } from './place.mjs'
import { end, pause, survivors } from './processes.mjs'
import { Random } from './random.mjs'
import { table } from './table.mjs'
import { faultsOf, growthOf, look, snapshot } from './watch.mjs'

const ROUND_MS = 5000
/** A step that takes this long hangs: nothing in it is allowed more than a minute. */
const HUNG_MS = 120_000
/** How long what a step started may take to be gone, once its result is there. */
const GONE_MS = 10_000
const MOST_FAULTS = 20

const options = readOptions()
const place = makePlace()
const shells = await openShells(place)
const ground = snapshot(place.ground)
const all = [...plain, ...output, ...ends, ...processes, ...denials, ...hosts, ...limits]
const chosen = all.filter(({ name }) => options.only === undefined || name.includes(options.only))

// A number for sleep(1) that stands in the arguments of no other process.
const token = `30.${process.pid}${String(Date.now()).slice(-9)}`
const began = performance.now()
const seconds = () => (performance.now() - began) / 1000
const looks = []
const faults = []
const tallies = new Map()
let steps = 0

function fault(text) {
  console.error(`soak: at ${Math.round(seconds())} s: ${text}`)
  faults.push(text)
}

function tally(name) {
  if (!tallies.has(name)) tallies.set(name, { count: 0, failed: 0, longestMs: 0, overrunMs: undefined })
  return tallies.get(name)
}

// A process of the step that is left is a failure; it is ended here.
async function gone(marker) {
  const left = await survivors(marker, GONE_MS)
  for (const pid of left) end(pid)
  if (left.length > 0) throw new Error(`survivors: ${left.join(', ')}`)
}

async function hung(name) {
  await pause(HUNG_MS)
  throw new Error(`${name} hangs`)
}

async function take(step) {
  const random = new Random(options.seed, step)
  const action = random.weighted(chosen)
  const marker = `${token}${String(step).padStart(7, '0')}`
  const entry = tally(action.name)
  const from = performance.now()
  try {
    const told = await action.run({ random, shells, place, marker, step, gone: () => gone(marker) })
    if (told) entry.overrunMs = Math.max(entry.overrunMs ?? 0, told.overrunMs)
  } catch (error) {
    entry.failed++
    fault(
      `${action.name}, step ${step}: ${error.stack}\n  again: npm run soak -- --seed ${options.seed} --step ${step}`,
    )
  }
  entry.count++
  entry.longestMs = Math.max(entry.longestMs, performance.now() - from)
}

async function lane(until) {
  while (performance.now() < until && faults.length < MOST_FAULTS) await take(steps++)
}

async function round() {
  const until = Math.min(performance.now() + ROUND_MS, began + options.minutes * 60_000)
  const lanes = Array.from({ length: options.lanes }, () => lane(until))
  await Promise.race([Promise.all(lanes), hung('a step')])
  const seen = await look(place, token)
  looks.push(seen)
  for (const text of faultsOf(seen, ground)) fault(text)
}

async function soak() {
  if (options.step !== undefined) return take(options.step)
  while (seconds() < options.minutes * 60 && faults.length < MOST_FAULTS) await round()
  for (const text of growthOf(looks)) fault(text)
}

function report() {
  const lines = table({ looks, tallies, steps, seconds: seconds(), seed: options.seed })
  console.log(lines.join('\n'))
  const verdict = `soak: ${faults.length} faults, seed ${options.seed}`
  console.log(faults.length > 0 ? [verdict, ...faults].join('\n- ') : 'soak: no fault, no survivor, no leak')
}

async function clearUp() {
  for (const pid of await survivors(token, 0)) end(pid)
  place.remove()
}

console.log(
  `soak: ${options.minutes} minutes, seed ${options.seed}, ${options.lanes} lanes, ${chosen.length} actions`,
)
process.once('SIGINT', () => {
  report()
  process.exit(130)
})
await soak().catch((error) => fault(error.stack))
report()
await clearUp()
process.exit(faults.length > 0 ? 1 : 0)
