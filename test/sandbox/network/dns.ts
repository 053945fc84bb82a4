import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Server } from 'node:net'

/** The only name that the server knows. */
export const knownName = 'known.vitrine.test'

const TYPE_A = 1
const NAME_ERROR = 3

/** Where the question of a query ends: after its labels, its type and its class (RFC 1035, 4.1.2). */
function endOfQuestion(query: Buffer): { readonly name: string; readonly at: number } {
  const labels: string[] = []
  let at = 12
  for (let length = query.readUInt8(at); length > 0; length = query.readUInt8(at)) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length))
    at += 1 + length
  }
  return { name: labels.join('.').toLowerCase(), at: at + 5 }
}

/** 127.0.0.1 for an A question about the known name, nothing for its other types, "no such name" for the rest. */
function answerTo(query: Buffer): Buffer {
  const { name, at } = endOfQuestion(query)
  const isKnown = name === knownName
  const answers = isKnown && query.readUInt16BE(at - 4) === TYPE_A ? 1 : 0
  const head = Buffer.alloc(12)
  query.copy(head, 0, 0, 2)
  head.writeUInt16BE(0x8180 | (isKnown ? 0 : NAME_ERROR), 2)
  head.writeUInt16BE(1, 4)
  head.writeUInt16BE(answers, 6)
  const record = Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 127, 0, 0, 1])
  return Buffer.concat([head, query.subarray(12, at), ...(answers ? [record] : [])])
}

function overTcp(): Server {
  return createServer((socket) => {
    let received = Buffer.alloc(0)
    socket.on('error', () => {}) // a client that has its answer may go as it likes
    socket.on('data', (bytes) => {
      received = Buffer.concat([received, bytes])
      while (received.length >= 2 && received.length >= 2 + received.readUInt16BE(0)) {
        const answer = answerTo(received.subarray(2, 2 + received.readUInt16BE(0)))
        const length = Buffer.alloc(2)
        length.writeUInt16BE(answer.length)
        socket.write(Buffer.concat([length, answer]))
        received = received.subarray(2 + received.readUInt16BE(0))
      }
    })
  })
}

async function overUdp(port: number): Promise<Socket> {
  const socket = createSocket('udp4')
  socket.on('message', (query, from) => socket.send(answerTo(query), from.port, from.address))
  socket.bind(port, '127.0.0.1')
  await once(socket, 'listening')
  return socket
}

/** A name server on one port of 127.0.0.1, over UDP and over TCP. */
export async function startDns(): Promise<{ readonly port: number; close(): void }> {
  const tcp = overTcp()
  await once(tcp.listen(0, '127.0.0.1'), 'listening')
  const { port } = tcp.address() as AddressInfo
  const udp = await overUdp(port)
  return {
    port,
    close: () => {
      udp.close()
      tcp.close()
    },
  }
}
