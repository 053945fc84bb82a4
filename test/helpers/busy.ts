/**
 * How much later than promised an event may be on a busy machine. Commands in tests of a deadline would run longer than
 * this, so the bound still tells a call that returned from one that waited. `npm run soak` measures the promise itself.
 */
export const busyMs = 10_000
