import { once } from 'node:events'
import type { Duplex } from 'node:stream'

/** What net.Socket keeps undocumented. Other runtimes may have none of it. */
interface Handle {
  readonly fd: number
  reading: boolean
  readStart(): number
  readStop(): number
}

function handleOf(socket: Duplex): Handle | undefined {
  const { _handle: handle } = socket as { readonly _handle?: Partial<Handle> | null }
  const isKnown = typeof handle?.readStart === 'function' && typeof handle.readStop === 'function'
  return isKnown && typeof handle.fd === 'number' && handle.fd >= 0 ? (handle as Handle) : undefined
}

/** Undefined: not known, and the socket cannot be stopped. */
export function descriptorOf(socket: Duplex): number | undefined {
  return handleOf(socket)?.fd
}

/** Leaves what arrives to the kernel; pause() alone reads ahead. */
export function stopReading(socket: Duplex): void {
  socket.pause()
  while (socket.read() !== null); // to the listeners of 'data'; begins to read again
  const handle = handleOf(socket)
  if (!handle) return
  handle.reading = false
  handle.readStop()
}

/** Undoes it. The stream itself waits for bytes, so resume() does not begin to read. */
export function startReading(socket: Duplex): void {
  const handle = handleOf(socket)
  if (handle) {
    handle.reading = true
    handle.readStart()
  }
  socket.resume()
}

/** Resolves once the kernel has all that was written, or the socket is destroyed. */
export async function flushed(socket: Duplex): Promise<void> {
  if (socket.destroyed || socket.writableFinished) return
  if (socket.writableEnded) await once(socket, 'finish').catch(() => {})
  else await new Promise<void>((resolve) => socket.write('', () => resolve()))
}
