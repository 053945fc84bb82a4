import { once } from 'node:events'
import { connect } from 'node:net'
import { it } from 'vitest'
import { basic, exchange, openProxy, webServer } from './surroundings.ts'

it.each([
  ['CONNECT', 'CONNECT good.example:443 HTTP/1.1\r\nHost: good.example:443\r\n\r\n'],
  ['a CONNECT to no host', 'CONNECT / HTTP/1.1\r\n\r\n'],
  ['SOCKS 5', '\x05\x01\x00'],
  ['SOCKS 5 with a password', '\x05\x01\x02\x01\x01a\x01b'],
])('lets no refused client occupy it: %s', async (_, text) => {
  const { port } = await webServer()
  const { proxy, gate } = await openProxy(
    { allow: [`good.example:${port}`, `127.0.0.1:${port}`] },
    { maxClients: 1 },
  )
  const socket = connect({ host: '127.0.0.1', port: proxy.port, allowHalfOpen: true })
  socket.on('error', () => {}).write(text, 'latin1')
  await once(socket.resume(), 'end')
  const request = `GET http://good.example:${port}/a HTTP/1.1\r\nHost: good.example:${port}\r\n${basic(gate.secret)}Connection: close\r\n\r\n`
  while (!(await exchange(proxy.port, request)).includes('GET /a')); // never: the test times out
  socket.destroy()
})
