import type { Readable, Writable } from 'node:stream'
import { types } from 'node:util'

export function feedStdin(to: Writable | null, from: string | Uint8Array | Readable | number | null): void {
  if (!to || from === null || typeof from === 'number') return
  // Checked by type: importing Readable for `instanceof` would load Node's streams for every command.
  if (typeof from === 'string' || types.isUint8Array(from)) to.end(from)
  else passOn(from, to)
}

function passOn(from: Readable, to: Writable): void {
  const end = () => {
    to.end()
  }
  // An earlier command has read it to its end.
  if (from.readableEnded || from.destroyed) {
    end()
    return
  }
  // A source that fails or closes ends the input; pipe() alone would leave it open, and the command waiting.
  from.once('error', end)
  from.once('close', end)
  to.once('close', () => from.off('error', end).off('close', end))
  from.pipe(to)
}
