import { createReadStream } from 'node:fs'
import type { Writable } from 'node:stream'

/** Copies what a caller's descriptor yields, until `to` closes. Destroying the stream would close the descriptor. */
export function pump(fd: number, to: Writable): void {
  const from = createReadStream('', { fd, autoClose: false })
  from.once('error', () => to.end())
  from.pipe(to)
}
