import { randomFillSync } from 'node:crypto'

const secretBytes = 24
/** Drawn together: a call of the generator costs more than its bytes. */
const drawn = Buffer.allocUnsafeSlow(64 * secretBytes)
let at = drawn.length

/** A secret that was not given before. */
export function nextSecret(): string {
  if (at === drawn.length) {
    randomFillSync(drawn)
    at = 0
  }
  const secret = drawn.toString('hex', at, at + secretBytes)
  drawn.fill(0, at, at + secretBytes)
  at += secretBytes
  return secret
}
