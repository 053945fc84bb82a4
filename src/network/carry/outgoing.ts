import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { startReading, stopReading } from './handle.ts'

/** What a client sends into a tunnel: a pipe that can be stopped. */
export class Outgoing {
  readonly #client: Duplex
  #isStopped = false

  /** Passes on what the client sends, and its end. */
  constructor(client: Duplex, upstream: Socket, counted: (bytes: number) => void) {
    this.#client = client
    client.on('data', (chunk: Buffer) => {
      counted(chunk.length)
      if (!upstream.write(chunk)) client.pause()
    })
    if (client.readableEnded) upstream.end()
    else client.once('end', () => upstream.end())
    upstream.on('drain', () => void (this.#isStopped || client.resume()))
  }

  stop(): void {
    this.#isStopped = true
    stopReading(this.#client)
  }

  start(): void {
    this.#isStopped = false
    startReading(this.#client)
  }
}
