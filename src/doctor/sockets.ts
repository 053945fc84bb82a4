import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { join } from 'node:path'
import type { Attempt, Target } from './attempt.ts'
import type { Check } from './check.ts'

function byNode(script: string): Pick<Target, 'request'> {
  return { request: { argv: [process.execPath, '-e', script] } }
}

/** What was sent may still be in transit when the command ends. */
async function arrived(count: () => number): Promise<boolean> {
  for (let attempt = 0; attempt < 10 && count() === 0; attempt++)
    await new Promise((resolve) => setTimeout(resolve, 5))
  return count() > 0
}

/** `listen` returns what clients connect to. */
function connecting(
  right: string,
  name: string,
  listen: (server: Server, directory: string) => Promise<readonly (string | number)[]>,
): Attempt {
  return {
    right,
    name,
    async prepare(directory) {
      let connections = 0
      const server = createServer((socket) => {
        connections++
        socket.destroy()
      })
      const address = await listen(server, directory)
      return {
        ...byNode(`require('net').connect(...${JSON.stringify(address)})`),
        touched: () => arrived(() => connections),
        clear: () => void server.close(),
      }
    },
  }
}

async function onLoopback(server: Server): Promise<readonly (string | number)[]> {
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return [(server.address() as AddressInfo).port, '127.0.0.1']
}

const tcp = connecting('network', 'connect over TCP', onLoopback)

const unix = connecting('unix sockets', 'connect to a unix socket', async (server, directory) => {
  const path = join(directory, 'socket')
  await once(server.listen(path), 'listening')
  return [path]
})

const udp: Attempt = {
  right: 'network',
  name: 'send over UDP',
  async prepare() {
    const socket = createSocket('udp4')
    let messages = 0
    socket.on('message', () => messages++)
    socket.bind(0, '127.0.0.1')
    await once(socket, 'listening')
    const { port } = socket.address()
    const send = `const s = require('dgram').createSocket('udp4'); s.send('x', ${port}, '127.0.0.1', (e) => { s.close(); if (e) throw e })`
    return {
      ...byNode(send),
      touched: () => arrived(() => messages),
      clear: () => void socket.close(),
    }
  },
}

const ownSockets = { right: 'own sockets', settings: { 'shell.mode': 'workspace' } } as const

const toAnother: Attempt = {
  ...connecting(ownSockets.right, 'connect to the server of another process', onLoopback),
  ...ownSockets,
}

/** Two processes of one command. */
const serveAndConnect = `
const server = require('net').createServer((socket) => socket.end()).listen(0, '127.0.0.1', () => {
  const client = \`require('net').connect(\${server.address().port}, '127.0.0.1', () => process.exit())\`
  require('child_process').spawn(process.execPath, ['-e', client], { stdio: 'inherit' }).on('exit', process.exit)
})`

export const ownSocketsAllowed: Check = {
  ...ownSockets,
  name: 'connect to a server of its own (allowed)',
  async run({ read }) {
    const { exitCode, stderr } = await read.execute(byNode(serveAndConnect).request)
    const said = read.enforcement[ownSockets.right]?.note ?? stderr
    if (exitCode !== 0) return { state: 'lacking', said }
    return { state: read.mode === 'workspace' ? 'enforced' : 'untried', said: stderr }
  },
}

export const socketAttempts: readonly Attempt[] = [tcp, udp, unix, toAnother]
