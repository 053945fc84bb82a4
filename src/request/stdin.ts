import type { Readable, Writable } from 'node:stream'
import { types } from 'node:util'

export function feedStdin(to: Writable | null, from: string | Uint8Array | Readable | number | null): void {
  if (!to || from === null || typeof from === 'number') return
  // Checked by type: importing Readable for `instanceof` would load Node's streams for every command.
  if (typeof from === 'string' || types.isUint8Array(from)) to.end(from)
  else passOn(from, to)
}

/** pipe() would throw into the host when a stream of objects brings one. */
function passOn(from: Readable, to: Writable): void {
  const end = () => {
    to.end()
  }
  // An earlier command has read it to its end.
  if (from.readableEnded || from.destroyed) {
    end()
    return
  }
  // A source that fails or closes ends the input, or the command would wait for more.
  const take = (chunk: unknown) => {
    if (typeof chunk !== 'string' && !types.isUint8Array(chunk)) end()
    else if (to.writable && !to.write(chunk)) from.pause()
  }
  const resume = () => {
    from.resume()
  }
  to.on('drain', resume)
  to.once('close', () => {
    from.off('data', take).off('end', end).off('error', end).off('close', end)
    if (from.listenerCount('data') === 0) from.pause()
  })
  from.once('end', end).once('error', end).once('close', end).on('data', take)
  from.resume()
}
