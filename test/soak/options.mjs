// What the soak is asked for: npm run soak -- --minutes 3 --seed 7
import { randomInt } from 'node:crypto'
import { parseArgs } from 'node:util'

const usage = `npm run soak -- [--minutes N] [--seed N] [--lanes N] [--only NAME] [--step N]
  --minutes  how long, default 30
  --seed     of the randomness, to repeat a run; default: a new one, which is printed
  --lanes    how many actions at a time, default 4
  --only     only actions with this in their name
  --step     that step of the seed alone, once`

function number(text, name, least) {
  const value = Number(text)
  if (Number.isFinite(value) && value >= least) return value
  console.error(`soak: --${name} takes a number from ${least} on, not ${text}\n${usage}`)
  process.exit(2)
}

function parse() {
  const text = { type: 'string' }
  try {
    return parseArgs({
      options: { minutes: text, seed: text, lanes: text, only: text, step: text, help: { type: 'boolean' } },
    }).values
  } catch (error) {
    console.error(`soak: ${error.message}\n${usage}`)
    process.exit(2)
  }
}

/** Reads the arguments; ends the process with 2 when they are wrong. */
export function readOptions() {
  const { minutes, seed, lanes, only, step, help } = parse()
  if (help) {
    console.log(usage)
    process.exit(0)
  }
  return {
    minutes: number(minutes ?? '30', 'minutes', 0),
    seed: Math.trunc(number(seed ?? String(randomInt(2 ** 32)), 'seed', 0)),
    lanes: Math.trunc(number(lanes ?? '4', 'lanes', 1)),
    only,
    step: step === undefined ? undefined : Math.trunc(number(step, 'step', 0)),
  }
}
