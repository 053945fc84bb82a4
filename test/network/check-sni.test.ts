import { once } from 'node:events'
import { Duplex } from 'node:stream'
import { connect } from 'node:tls'
import { describe, expect, it } from 'vitest'
import { serverNameOf } from '../../src/network/tunnel.ts'
import { basic, exchange, openProxy, tcpServer } from './surroundings.ts'

/** What a real client sends first. */
async function helloFor(servername: string | undefined): Promise<Buffer> {
  const wire = new Duplex({
    read() {},
    write: (chunk: Buffer, _encoding, done) => {
      wire.emit('hello', chunk)
      done()
    },
  })
  const hello = once(wire, 'hello')
  const client = connect({ socket: wire, ...(servername !== undefined && { servername }) })
  client.on('error', () => {})
  const [bytes] = (await hello) as [Buffer]
  client.destroy()
  return bytes
}

/** The same message in records of one byte each, as RFC 8446 permits. */
function inTinyRecords(hello: Buffer): Buffer {
  const bytes = [...hello.subarray(5)].map((byte) => Buffer.of(22, 3, 1, 0, 1, byte))
  return Buffer.concat(bytes)
}

/** The same message with a second name behind all its extensions. */
function withSecondName(hello: Buffer, name: string): Buffer {
  const [text, sizes] = [Buffer.from(name), [name.length + 5, name.length + 3, 0, name.length]]
  const extension = Buffer.alloc(9)
  extension.writeUInt16BE(sizes[0] ?? 0, 2)
  extension.writeUInt16BE(sizes[1] ?? 0, 4)
  extension.writeUInt16BE(sizes[3] ?? 0, 7)
  const longer = Buffer.concat([hello, extension, text])
  const more = extension.length + text.length
  const session = 43 + 1 + (hello[43] ?? 0)
  const suites = session + 2 + hello.readUInt16BE(session)
  const extensions = suites + 1 + (hello[suites] ?? 0)
  longer.writeUInt16BE(hello.readUInt16BE(3) + more, 3)
  longer.writeUIntBE(hello.readUIntBE(6, 3) + more, 6, 3)
  longer.writeUInt16BE(hello.readUInt16BE(extensions) + more, extensions)
  return longer
}

describe('the beginning of a TLS connection', () => {
  it('tells its host, in one record and in many', async () => {
    const hello = await helloFor('www.example.com')
    const name = { kind: 'name', name: 'www.example.com' }
    expect([serverNameOf(hello), serverNameOf(inTinyRecords(hello))]).toEqual([name, name])
  })

  it('tells no host where it names two, of which servers may take either', async () => {
    const hello = await helloFor('www.example.com')
    expect(serverNameOf(withSecondName(hello, 'other.example'))).toEqual({ kind: 'other' })
    const nameless = await helloFor(undefined)
    const name = { kind: 'name', name: 'other.example' }
    expect(serverNameOf(withSecondName(nameless, 'other.example'))).toEqual(name)
  })

  it('is incomplete up to its last byte', async () => {
    const hello = await helloFor('www.example.com')
    const kinds = Array.from(hello, (_byte, length) => serverNameOf(hello.subarray(0, length)).kind)
    expect(new Set(kinds)).toEqual(new Set(['more']))
  })

  it('can have no host', async () => {
    expect(serverNameOf(await helloFor(undefined))).toEqual({ kind: 'none' })
  })

  it('is told from other protocols, and from broken lengths', async () => {
    const hello = await helloFor('www.example.com')
    const broken = Array.from(hello, (byte, at) => {
      const copy = Buffer.from(hello)
      copy[at] = byte ^ 0xff
      return serverNameOf(copy).kind // ends, and throws nothing
    })
    expect(broken.length).toBe(hello.length)
    const others = [
      'GET / HTTP/1.1\r\n',
      'SSH-2.0-x\r\n',
      '\u0016\u0002\u0001\u0000\u0001x',
      '\u0015\u0003\u0001',
    ]
    expect(others.map((text) => serverNameOf(Buffer.from(text, 'latin1')).kind)).toEqual(
      others.map(() => 'other'),
    )
  })
})

describe('with check_sni', () => {
  async function tunnelled(first: Buffer, target = 'good.example') {
    const received: Buffer[] = []
    const port = await tcpServer((socket) => {
      socket.on('data', (chunk: Buffer) => {
        received.push(chunk)
        socket.end('answer')
      })
    })
    const { proxy, gate } = await openProxy({
      allow: [`*.example:${port}`, `good.example:${port}`, `127.0.0.1:${port}`],
      checkSni: true,
    })
    const head = `CONNECT ${target}:${port} HTTP/1.1\r\n${basic(gate.secret)}\r\n`
    const answer = await exchange(proxy.port, head, first.subarray(0, 9), first.subarray(9))
    return { answer: answer.toString(), received: Buffer.concat(received), connections: gate.connections() }
  }

  it('a connection whose ClientHello agrees passes whole', async () => {
    const hello = await helloFor('GOOD.example')
    const { answer, received } = await tunnelled(hello)
    expect(received).toEqual(hello)
    expect(answer).toContain('answer')
  })

  it.each([
    ['another host', () => helloFor('evil.example')],
    ['no host', () => helloFor(undefined)],
    ['no TLS', async () => Buffer.from('GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n')],
  ])('a connection to a listed host with %s sends it nothing', async (_name, helloOf) => {
    const { received, connections } = await tunnelled(await helloOf())
    expect(received.length).toBe(0)
    expect(connections).toMatchObject([{ host: 'good.example', verdict: 'refused', reason: 'other-name' }])
  })

  it('an address needs no host in the ClientHello', async () => {
    const { answer } = await tunnelled(await helloFor(undefined), '127.0.0.1')
    expect(answer).toContain('answer')
  })
})
