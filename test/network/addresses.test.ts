import { describe, expect, it } from 'vitest'
import { isPublic } from '../../src/network/addresses.ts'
import { parseHost } from '../../src/network/hosts.ts'
import { words } from '../helpers/words.ts'
import { basic, exchange, openProxy, tcpServer } from './surroundings.ts'

const refused = words(`
  0.0.0.0 0.1.2.3 10.0.0.1 10.255.255.255 100.64.0.1 100.100.100.200 127.0.0.1 127.255.0.1 169.254.169.254
  169.254.170.2 172.16.0.1 172.31.255.255 192.0.0.192 192.0.2.1 192.168.1.1 192.88.99.1 198.18.0.1 198.19.255.255
  198.51.100.7 203.0.113.9 224.0.0.1 239.255.255.250 240.0.0.1 255.255.255.255 168.63.129.16
  :: ::1 ::ffff:10.0.0.1 ::ffff:0:10.0.0.1 ::7f00:1 64:ff9b::7f00:1 64:ff9b::808:808 64:ff9b:1::1 100::1 2001::1
  2001:0:4136:e378:8000:63bf:3fff:fdd2 2001:db8::1 2002:7f00:1:: 2002:808:808::1 3fff::1 5f00::1 fc00::1
  fd00:ec2::254 fe80::1 fec0::1 ff02::1 ff0e::1
`)
const open = words(`
  1.1.1.1 8.8.8.8 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.255.255.255 128.0.0.0 169.253.255.255
  172.15.255.255 172.32.0.0 192.167.0.1 198.20.0.0 223.255.255.255
  2606:4700:4700::1111 2001:4860:4860::8888 2a00:1450:4001:800::200e 2400:cb00::1
`)

function address(text: string) {
  const host = parseHost(text)
  if (host?.kind !== 'address') throw new Error(`no address: ${text}`)
  return host
}

describe('the addresses that a name may lead to', () => {
  it.each(refused)('do not include %s', (text) => {
    expect(isPublic(address(text))).toBe(false)
  })

  it.each(open)('include %s', (text) => {
    expect(isPublic(address(text))).toBe(true)
  })
})

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

it.each([
  ['the address', () => ['127.0.0.1'], 'denied'],
  ['the address after another host', () => ['other.example', '127.0.0.1'], 'denied'],
  ['the port of the address', (port: number) => [`127.0.0.1:${port}`], 'denied'],
  ['another port, and another address', () => ['127.0.0.1:1', '127.0.0.2'], undefined],
] as const)('what is denied is %s to which a listed name leads: %j, %s', async (_what, deny, reason) => {
  const asked = await tunnelTo('good.example', deny)
  const isDenied = reason !== undefined
  expect(asked).toEqual({
    status: isDenied ? 403 : 200,
    connections: isDenied ? 0 : 1,
    reasons: [reason],
  })
})
