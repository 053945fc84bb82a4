// What the soak is asked for: npm run soak -- --minutes 3 --seed 7
import { randomInt } from 'node:crypto'
import { parseArgs } from 'node:util'

const usage = `npm run soak -- [--minutes N] [--seed N] [--lanes N] [--only NAME] [--step N]
  --minutes  how long, default 30
  --seed     of the randomness, to repeat a run; default: a new one, which is printed
  --lanes    how many actions at a time, default 4
  --only     only actions with this in their name
  --step     that step of the seed alone, once`

/** Reads the arguments; ends the process with 2 when they are wrong. */
export function readOptions() {
  const text = { type: 'string' }
  const { values } = parseArgs({
    options: { minutes: text, seed: text, lanes: text, only: text, step: text, help: { type: 'boolean' } },
  })
  const { minutes = '30', seed = randomInt(2 ** 32), lanes = '4', only, step, help } = values
  const numbers = {
    minutes: Number(minutes),
    seed: Number(seed),
    lanes: Number(lanes),
    step: Number(step ?? 0),
  }
  const isWrong = !(Object.values(numbers).every((value) => value >= 0) && numbers.lanes >= 1)
  if (help || isWrong) {
    console.log(usage)
    process.exit(help ? 0 : 2)
  }
  return { ...numbers, only, step: step === undefined ? undefined : numbers.step }
}
