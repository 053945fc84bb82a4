import { once } from 'node:events'
import { connect } from 'node:net'
import { describe, expect, it } from 'vitest'
import { proxied } from './surroundings.ts'

const anonymous = Buffer.of(5, 1, 0)
const withPassword = Buffer.of(5, 2, 0, 2)

function password(secret: string): Buffer {
  return Buffer.concat([
    Buffer.of(1, 7),
    Buffer.from('vitrine'),
    Buffer.of(secret.length),
    Buffer.from(secret),
  ])
}

function request(type: number, host: Buffer, port: number, command = 1): Buffer {
  const parts = type === 3 ? [Buffer.of(host.length), host] : [host]
  return Buffer.concat([Buffer.of(5, command, 0, type), ...parts, Buffer.of(port >> 8, port & 255)])
}

const named = (name: string, port: number) => request(3, Buffer.from(name), port)

const get = Buffer.from('GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')

async function open() {
  const opened = await proxied(() => ({ deny: ['bad.example'] }))
  const asked = (...parts: Buffer[]) => opened.send(withPassword, password(opened.gate.secret), ...parts)
  return { ...opened, asked }
}

/** After the answers to the methods and the password: the reply to the request. */
const replyIn = (answer: Buffer) => answer[5]

describe('SOCKS 5', () => {
  it('carries a connection to a listed name, which the proxy resolves', async () => {
    const { port, gate, asked } = await open()
    const answer = await asked(named('good.example', port), get)
    expect([...answer.subarray(0, 4)]).toEqual([5, 2, 1, 0])
    expect(replyIn(answer)).toBe(0)
    expect(answer.subarray(14).toString()).toContain('200 OK')
    await expect
      .poll(() => gate.connections())
      .toMatchObject([{ host: 'good.example', port, verdict: 'allowed', sent: get.length }])
  })

  it('takes a greeting that arrives byte by byte, and one in a single piece', async () => {
    const { port, gate, send } = await open()
    const bytes = Buffer.concat([withPassword, password(gate.secret), named('good.example', port)])
    const apart = await send(...Array.from(bytes, (byte) => Buffer.of(byte)), get)
    const together = await send(Buffer.concat([bytes, get]))
    expect([replyIn(apart), replyIn(together)]).toEqual([0, 0])
    expect(apart.toString()).toContain('200 OK')
    expect(together.toString()).toContain('200 OK')
  })

  it('judges names and addresses like HTTP does', async () => {
    const { port, asked } = await open()
    const mapped = Buffer.from('00000000000000000000ffff7f000001', 'hex')
    const loopback6 = Buffer.from('00000000000000000000000000000001', 'hex')
    const rows: readonly (readonly [string, Buffer, number])[] = [
      ['another spelling', named('GOOD.example.', port), 0],
      ['a listed address', request(1, Buffer.of(127, 0, 0, 1), port), 0],
      ['a listed address as a name', named('0x7f.1', port), 0],
      ['a mapped address', request(4, mapped, port), 0],
      ['another name', named('other.example', port), 2],
      ['a denied name', named('bad.example', port), 2],
      ['another port', named('good.example', port + 1), 2],
      ['another address', request(1, Buffer.of(127, 0, 0, 2), port), 2],
      ['IPv6 loopback', request(4, loopback6, port), 2],
      ['a name with a NUL byte', named('good.example\0', port), 1],
      ['a name with a user', named('a@good.example', port), 1],
      ['an empty name', named('', port), 1],
      ['port 0', named('good.example', 0), 1],
      ['BIND', request(3, Buffer.from('good.example'), port, 2), 7],
      ['UDP ASSOCIATE', request(3, Buffer.from('good.example'), port, 3), 7],
      ['an unknown type of address', request(9, Buffer.alloc(4), port), 8],
    ]
    const replies: (readonly [string, number | undefined])[] = []
    for (const [name, bytes] of rows) replies.push([name, replyIn(await asked(bytes))])
    expect(replies).toEqual(rows.map(([name, , reply]) => [name, reply]))
  })

  it('needs the secret of a command', async () => {
    const { gate, port, send } = await open()
    const none = await send(anonymous, named('good.example', port))
    const wrong = await send(withPassword, password('0'.repeat(48)), named('good.example', port))
    expect([[...none], [...wrong]]).toEqual([
      [5, 255],
      [5, 2, 1, 1],
    ])
    expect(gate.connections()).toEqual([])
  })

  it('without a secret recognizes a client by its socket', async () => {
    let command = 0
    const clientOf = () => ({ command, pid: 42, program: 'java' })
    const { port, gate, send } = await proxied(undefined, { clientOf })
    const before = await send(anonymous, named('good.example', port))
    command = gate.number
    const after = await send(anonymous, named('good.example', port), get)
    expect([[...before], [...after.subarray(0, 4)]]).toEqual([
      [5, 255],
      [5, 0, 5, 0],
    ])
    expect(gate.connections()).toMatchObject([{ pid: 42, program: 'java' }])
  })

  it('a command that has the secret of another is refused', async () => {
    let command = 0
    const clientOf = () => ({ command, pid: 42, program: 'curl' })
    const { port, proxy, gate, auth, send } = await proxied(undefined, { clientOf })
    const narrow = proxy.open({ rules: { allow: [[]], deny: [] } })
    const head = `GET http://good.example:${port}/ HTTP/1.1\r\n${auth}Connection: close\r\n\r\n`
    const bySocks = [withPassword, password(gate.secret), named('good.example', port)]
    const answers = async () => [
      (await send(head)).toString().slice(0, 12),
      [...(await send(...bySocks))].slice(0, 4),
    ]
    command = narrow.number
    expect(await answers()).toEqual(['HTTP/1.1 407', [5, 2, 1, 1]])
    command = gate.number
    expect(await answers()).toEqual(['HTTP/1.1 200', [5, 2, 1, 0]])
  })

  it('lets a client go that leaves in the middle of its greeting', async () => {
    const { proxy } = await open()
    const socket = connect(proxy.port, '127.0.0.1').resume()
    socket.end(Buffer.of(5, 2, 0))
    await once(socket, 'close')
  })
})
