// Medians of interleaved runs.
import { numbers } from './numbers.mjs'

/**
 * What many runs of one contender come down to, in the unit of the samples.
 * @typedef {{ median: number, min: number, max: number, runs: number }} Summary
 */

/**
 * A contender: runs once. What it resolves to is the sample; nothing means the time it took, in milliseconds.
 * @typedef {() => Promise<number | void>} Contender
 */

/** @param {number[]} samples @param {number} share 0 to 1 */
export function quantile(samples, share) {
  const sorted = samples.toSorted((a, b) => a - b)
  const at = (sorted.length - 1) * share
  const below = sorted[Math.floor(at)] ?? Number.NaN
  const above = sorted[Math.ceil(at)] ?? Number.NaN
  return below + (above - below) * (at - Math.floor(at))
}

/** @param {number[]} samples @returns {Summary} */
export function summary(samples) {
  return {
    median: quantile(samples, 0.5),
    min: Math.min(...samples),
    max: Math.max(...samples),
    runs: samples.length,
  }
}

/**
 * How noisy the machine was: half the width of the middle half of the runs, as a share of their median.
 * @param {number[]} samples
 */
export function noise(samples) {
  return (quantile(samples, 0.75) - quantile(samples, 0.25)) / 2 / quantile(samples, 0.5)
}

/**
 * Runs all contenders in turn, round after round, so that what disturbs the machine disturbs all alike; in an order that
 * changes. Each turn begins with a run that does not count: the fork of a large process leaves page faults to whatever
 * runs in it next, and they are to be counted to who forks.
 * @param {Record<string, Contender>} contenders
 * @param {{ rounds: number, warmUp?: number, lead?: number }} options `lead`: how many runs of a turn do not count
 * @returns {Promise<Record<string, number[]>>} the samples of each
 */
export async function interleave(contenders, { rounds, warmUp = 1, lead = 1 }) {
  const names = Object.keys(contenders)
  const random = numbers()
  /** @type {Record<string, number[]>} */
  const samples = Object.fromEntries(names.map((name) => [name, []]))
  for (let round = -warmUp; round < rounds; round++)
    for (const name of shuffled(names, random)) {
      for (let run = 0; run < lead; run++) await contenders[name]?.()
      const sample = await timed(contenders[name])
      if (round >= 0) samples[name]?.push(sample)
    }
  return samples
}

/** @template T @param {readonly T[]} items @param {(limit: number) => number} random @returns {T[]} */
function shuffled(items, random) {
  return items
    .map((item) => ({ item, at: random(2 ** 30) }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item)
}

/** @param {Contender | undefined} contender */
async function timed(contender) {
  const started = performance.now()
  const told = await contender?.()
  return told ?? performance.now() - started
}
