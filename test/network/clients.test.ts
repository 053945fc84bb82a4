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
