import type { IncomingMessage, ServerResponse } from 'node:http'
import { pipeline } from 'node:stream/promises'
import { setImmediate } from 'node:timers/promises'
import type { OpenUpstream } from '../gate.ts'
import { flushed, startReading, stopReading } from './handle.ts'
import { canRelay, handOverBytes, relay } from './relay.ts'

/** Passes on the body of a response whose head has been written. A long one of known length is carried in native code. */
export async function passBody(
  incoming: IncomingMessage,
  response: ServerResponse,
  upstream: OpenUpstream,
): Promise<void> {
  const { socket, gate } = upstream
  const length = Number(incoming.headers['content-length'])
  if (length >= handOverBytes && (await carryBody(incoming, response, { ...upstream, length }))) return
  incoming.on('data', (chunk: Buffer) => {
    if (!gate.spend(chunk.length)) socket.destroy()
  })
  await pipeline(incoming, response).catch(() => response.destroy())
}

/** False: it could not begin, and the rest of the body is in `incoming`. */
async function carryBody(
  incoming: IncomingMessage,
  response: ServerResponse,
  { socket, record, gate, length }: OpenUpstream & { readonly length: number },
): Promise<boolean> {
  response.flushHeaders()
  await setImmediate() // what has arrived with the head is parsed first
  const client = response.socket
  if (!client || incoming.complete || !canRelay({ client, upstream: socket }, gate)) return false
  stopReading(socket)
  let left = length
  for (let chunk: Buffer | null = incoming.read(); chunk; chunk = incoming.read()) {
    left -= chunk.length
    response.write(chunk)
    gate.spend(chunk.length)
  }
  await flushed(client)
  const ended = (moved: number) => {
    socket.destroy()
    if (moved === left) response.end()
    else response.destroy()
  }
  const end = relay({ client, upstream: socket, record, only: left, ended }, gate)
  if (!end) startReading(socket)
  else response.once('close', end)
  return end !== undefined
}
