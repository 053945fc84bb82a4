import type { OnReadOpts, Socket } from 'node:net'
import { startReading, stopReading } from './handle.ts'

const bufferBytes = 128 * 1024

/** Takes bytes at once, or calls back when it has. Until then the buffer must not change. */
export type Take = (bytes: Buffer, taken: () => void) => 'taken' | 'later'

/**
 * What a host sends into a tunnel, read into one buffer that is used again: that takes half the processor time of a stream's
 * own chunks. Bytes that come before the tunnel begins are held.
 */
export class Incoming {
  readonly onread: OnReadOpts = {
    buffer: Buffer.allocUnsafeSlow(bufferBytes),
    callback: (length, buffer) => this.#pass(Buffer.from(buffer.buffer, buffer.byteOffset, length)),
  }
  #held: Buffer | undefined
  #take: Take | undefined
  #socket: Socket | undefined
  #isStopped = false

  /** Passes on what was held, and all that follows. */
  begin(socket: Socket, take: Take): void {
    this.#socket = socket
    this.#take = take
    const held = this.#held
    this.#held = undefined
    if (held === undefined || this.#pass(held)) socket.resume()
  }

  /** Only after `begin`. */
  stop(): void {
    this.#isStopped = true
    if (this.#socket) stopReading(this.#socket)
  }

  start(): void {
    this.#isStopped = false
    if (this.#socket) startReading(this.#socket)
  }

  /** False: the socket is not read until it is resumed. */
  #pass(bytes: Buffer): boolean {
    if (!this.#take) {
      this.#held = Buffer.from(bytes)
      return false
    }
    const taken = () => void (this.#isStopped || this.#socket?.resume())
    return this.#take(bytes, taken) === 'taken'
  }
}
