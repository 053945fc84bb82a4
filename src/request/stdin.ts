import { Readable, type Writable } from 'node:stream'

/** Writes what the command is given to read, and closes its input. */
export function feedStdin(to: Writable | null, from: string | Uint8Array | Readable | number | null): void {
  if (!to || from === null || typeof from === 'number') return
  if (from instanceof Readable) {
    // A source that fails ends the input; pipe() alone would leave it open, and the command waiting.
    from.once('error', () => to.end())
    from.pipe(to)
  } else to.end(from)
}
