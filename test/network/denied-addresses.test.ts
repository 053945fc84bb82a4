import { expect, it } from 'vitest'
import { basic, exchange, openProxy, tcpServer } from './surroundings.ts'

/** The server that every listed name leads to, and what a tunnel to the name gets. */
async function tunnelTo(name: string, deny: (port: number) => readonly string[]) {
  let connections = 0
  const port = await tcpServer((socket) => {
    connections += 1
    socket.end('reached')
  })
  const allow = [`${name}:${port}`, `127.0.0.1:${port}`]
  const { proxy, gate } = await openProxy({ allow, deny: deny(port) })
  const answer = await exchange(proxy.port, `CONNECT ${name}:${port} HTTP/1.1\r\n${basic(gate.secret)}\r\n`)
  return {
    status: Number(answer.toString().split(' ')[1]),
    connections,
    reasons: gate.connections().map(({ reason }) => reason),
  }
}

it.each([['127.0.0.1'], ['other.example', '127.0.0.1']])(
  'a listed name that leads to a denied address is denied, and nothing connects: %s',
  async (...deny) => {
    const asked = await tunnelTo('good.example', () => deny)
    expect(asked).toEqual({ status: 403, connections: 0, reasons: ['denied'] })
  },
)

it('a denied port of the address denies the name at that port', async () => {
  const asked = await tunnelTo('good.example', (port) => [`127.0.0.1:${port}`])
  expect(asked).toEqual({ status: 403, connections: 0, reasons: ['denied'] })
})

it('another port of the address, or another address, denies nothing', async () => {
  const asked = await tunnelTo('good.example', () => ['127.0.0.1:1', '127.0.0.2'])
  expect(asked).toEqual({ status: 200, connections: 1, reasons: [undefined] })
})
