import { connect } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { waitFor } from '../helpers/processes.ts'
import { basic, openProxy, tcpServer } from './surroundings.ts'

/** A host that answers only after its client's end, with what it got. */
function echoAtEnd(): Promise<number> {
  return tcpServer((socket) => {
    const got: Buffer[] = []
    socket.on('data', (chunk: Buffer) => got.push(chunk))
    socket.on('end', () => socket.end(Buffer.concat([Buffer.from('got:'), ...got])))
  })
}

/** Sends all and its end at once; the host is connected to only when the proxy has both. */
async function sendAndEnd(bytesOf: (secret: string, port: number) => (string | Buffer)[]): Promise<string> {
  const port = await echoAtEnd()
  let endIsSent: () => void = () => {}
  const ended = new Promise<void>((resolve) => {
    endIsSent = resolve
  })
  const resolver = async () => {
    await ended
    for (let turn = 0; turn < 3; turn++) await setImmediate() // the end is at the proxy's socket: it reads it
    return ['127.0.0.1']
  }
  const allow = [`good.example:${port}`, `127.0.0.1:${port}`]
  const { proxy, gate } = await openProxy({ allow }, { resolver })
  const socket = connect({ host: '127.0.0.1', port: proxy.port, allowHalfOpen: true })
  let got = ''
  socket.on('data', (chunk: Buffer) => {
    got += chunk.toString('latin1')
  })
  socket.once('finish', endIsSent)
  socket.end(Buffer.concat(bytesOf(gate.secret, port).map((part) => Buffer.from(part))))
  await waitFor(() => socket.readableEnded)
  return got.slice(got.indexOf('got:'))
}

describe('a client that ends before its host is connected', () => {
  it.each([[''], ['sent early']])('by CONNECT: the host gets its bytes and its end (%s)', async (body) => {
    const got = await sendAndEnd((secret, port) => [
      `CONNECT good.example:${port} HTTP/1.1\r\n${basic(secret)}\r\n${body}`,
    ])
    expect(got).toBe(`got:${body}`)
  })
})
