// The rows of the table.
import { noise, summary } from './stats.mjs'

/**
 * @typedef {object} Row
 * @property {string} suite
 * @property {string} name what was measured
 * @property {string} [against] the contender that is 1.00
 * @property {number} [ratio] of the medians
 * @property {import('./stats.mjs').Summary} [value]
 * @property {'ms' | 'MB' | 'MB/s' | ''} [unit]
 * @property {{ most: number, of: 'ratio' | 'value' | 'median', met: boolean }} [target]
 * @property {number} [noise] of the contender that is 1.00
 * @property {string} [skipped] why there is no measurement
 * @property {string} [note]
 */

/**
 * One row for each contender, against the first of them.
 * @param {string} suite
 * @param {Record<string, number[]>} samples
 * @param {{ targets?: Record<string, number>, labels?: Record<string, string>, unit?: Row['unit'], quiet?: boolean }} [options]
 *   `targets`: the largest ratio that is still good. `quiet`: no row for the first.
 * @returns {Row[]}
 */
export function ratioRows(suite, samples, { targets = {}, unit = 'ms', quiet = false } = {}) {
  const [against = '', ...others] = Object.keys(samples)
  const base = samples[against] ?? []
  const one = summary(base)
  const first = { suite, name: against, ratio: 1, value: one, unit, noise: noise(base) }
  const rows = others.map((name) => {
    const value = summary(samples[name] ?? [])
    const ratio = value.median / one.median
    return { suite, name, against, ratio, value, unit, ...withTarget(targets[name], 'ratio', ratio) }
  })
  return quiet ? rows : [first, ...rows]
}

/**
 * @param {string} suite @param {string} name @param {number[]} samples @param {Row['unit']} unit
 * @param {{ most?: number, note?: string }} [options] `most`: what the worst run may reach
 * @returns {Row}
 */
export function valueRow(suite, name, samples, unit = 'ms', { most, note } = {}) {
  const value = summary(samples)
  return {
    suite,
    name,
    value,
    unit,
    ...withTarget(most, 'value', value.max),
    ...(note === undefined ? {} : { note }),
  }
}

/** @param {string} suite @param {string} name @param {string} skipped @returns {Row} */
export function skippedRow(suite, name, skipped) {
  return { suite, name, skipped }
}

/**
 * @param {number | undefined} most @param {'ratio' | 'value'} of @param {number} got
 * @returns {Pick<Row, 'target'>}
 */
function withTarget(most, of, got) {
  return most === undefined ? {} : { target: { most, of, met: got <= most } }
}
