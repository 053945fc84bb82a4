// npm run soak [-- --minutes N] [--seed N] [--step N]: mixed commands for a long time, and a look between rounds whether anything
// stayed. A seed repeats a run, and with a step that step alone. Exit 1 with what failed or leaked; a failed step names how to repeat it.
import { randomInt } from 'node:crypto'
import { parseArgs } from 'node:util'
import { denials } from './actions/denials.mjs'
import { ends } from './actions/ends.mjs'
import { hosts } from './actions/hosts.mjs'
import { limits } from './actions/limits.mjs'
import { output } from './actions/output.mjs'
import { plain } from './actions/plain.mjs'
import { processes } from './actions/processes.mjs'
import { makePlace, openShells } from './place.mjs'
import { end, pause, survivors } from './processes.mjs'
import { Random } from './random.mjs'
import { faultsOf, growthOf, look, slack, snapshot } from './watch.mjs'

const ROUND_MS = 5000
/** A step that takes this long hangs: nothing in it is allowed more than a minute. */
const HUNG_MS = 120_000
/** How long what a step started may take to be gone, once its result is there. */
const GONE_MS = 10_000
const MOST_FAULTS = 20
/** Actions at a time. */
const LANES = 4

const text = { type: 'string' }
const { values } = parseArgs({ options: { minutes: text, seed: text, step: text } })
const minutes = Number(values.minutes ?? 30)
const seed = Number(values.seed ?? randomInt(2 ** 32))
if (!(minutes >= 0 && seed >= 0)) throw new Error('--minutes and --seed take numbers')
const place = makePlace()
const shells = await openShells(place)
const ground = snapshot(place.ground)
const all = [...plain, ...output, ...ends, ...processes, ...denials, ...hosts, ...limits]

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
  if (!tallies.has(name)) tallies.set(name, { count: 0, failed: 0, longestMs: 0, overrunMs: 0 })
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
  const random = new Random(seed, step)
  const action = random.weighted(all)
  const marker = `${token}${String(step).padStart(7, '0')}`
  const entry = tally(action.name)
  const from = performance.now()
  try {
    const told = await action.run({ random, shells, place, marker, step, gone: () => gone(marker) })
    if (told) entry.overrunMs = Math.max(entry.overrunMs, Math.round(told.overrunMs))
  } catch (error) {
    entry.failed++
    fault(
      `${action.name}, step ${step}: ${error.stack}\n  again: npm run soak -- --seed ${seed} --step ${step}`,
    )
  }
  entry.count++
  entry.longestMs = Math.max(entry.longestMs, Math.round(performance.now() - from))
}

async function lane(until) {
  while (performance.now() < until && faults.length < MOST_FAULTS) await take(steps++)
}

async function round() {
  const until = Math.min(performance.now() + ROUND_MS, began + minutes * 60_000)
  const lanes = Array.from({ length: LANES }, () => lane(until))
  await Promise.race([Promise.all(lanes), hung('a step')])
  const seen = await look(place, token)
  looks.push(seen)
  for (const text of faultsOf(seen, ground)) fault(text)
}

async function soak() {
  if (values.step !== undefined) return take(Number(values.step))
  while (seconds() < minutes * 60 && faults.length < MOST_FAULTS) await round()
  for (const text of growthOf(looks)) fault(text)
}

function report() {
  console.log(
    `soak: ${steps} steps in ${Math.round(seconds())} s, seed ${seed}, ${looks.length} looks between rounds`,
  )
  console.table(Object.fromEntries([...tallies].sort()))
  console.table(
    looks.filter((_, at) => [0, looks.length >> 1, looks.length - 1].includes(at)),
    Object.keys(slack),
  )
  const verdict = `soak: ${faults.length} faults, seed ${seed}`
  console.log(faults.length > 0 ? [verdict, ...faults].join('\n- ') : 'soak: no fault, no survivor, no leak')
}

async function clearUp() {
  for (const pid of await survivors(token, 0)) end(pid)
  place.remove()
}

console.log(`soak: ${minutes} minutes, seed ${seed}, ${LANES} lanes, ${all.length} actions`)
process.once('SIGINT', () => {
  report()
  process.exit(130)
})
await soak().catch((error) => fault(error.stack))
report()
await clearUp()
process.exit(faults.length > 0 ? 1 : 0)
