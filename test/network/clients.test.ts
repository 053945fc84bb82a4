import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, it } from 'vitest'
import { basic, exchange, openProxy, webServer } from './surroundings.ts'

it('closes connections beyond its bound, and serves again when one has gone', async () => {
  const { port } = await webServer()
  const { proxy, gate } = await openProxy(
    { allow: [`good.example:${port}`, `127.0.0.1:${port}`] },
    { maxClients: 2 },
  )
  const open = async () => {
    const socket = connect({ host: '127.0.0.1', port: proxy.port })
    socket.on('error', () => {})
    await once(socket, 'connect')
    return socket
  }
  const ask = () =>
    exchange(
      proxy.port,
      `GET http://good.example:${port}/a HTTP/1.1\r\nHost: good.example:${port}\r\n${basic(gate.secret)}Connection: close\r\n\r\n`,
    )
  const [first] = [await open(), await open()]
  expect((await ask()).length).toBe(0)
  first?.destroy()
  while (!(await ask()).includes('GET /a')); // never: the test times out
})

it.each([
  ['CONNECT', 'CONNECT good.example:443 HTTP/1.1\r\nHost: good.example:443\r\n\r\n'],
  ['a CONNECT to no host', 'CONNECT / HTTP/1.1\r\n\r\n'],
  ['what is no HTTP', '\x05\x01\x00'],
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
