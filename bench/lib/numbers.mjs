// Numbers that look random and are the same in each run.

/** A generator of whole numbers from 0 below `limit` (Numerical Recipes' linear congruence). */
export function numbers(seed = 1) {
  let state = seed
  return (/** @type {number} */ limit) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return Math.floor((state / 2 ** 32) * limit)
  }
}
