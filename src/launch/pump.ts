import { createReadStream } from 'node:fs'
import type { Writable } from 'node:stream'

/** Copies what one of our descriptors yields. Closes the descriptor only if `to` closes first. */
export function pump(fd: number, to: Writable): void {
  const from = createReadStream('', { fd, autoClose: false })
  from.once('error', () => to.end())
  to.once('close', () => from.destroy())
  from.pipe(to)
}
