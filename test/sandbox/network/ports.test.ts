import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { remedies } from '../../../src/messages/hints.ts'
import type { Shell } from '../../../src/shell.ts'
import { openTestShell } from '../../helpers/place.ts'
import { isInstalled } from '../../helpers/programs.ts'
import { cannotBorrow } from '../../helpers/surroundings.ts'
import { type Ground, makeGround, shorts } from '../../linux/notify/denied.ts'
import { tcpServer } from '../../network/surroundings.ts'

/** `AF_... SOCK_...`: prints what the act does to a socket at an address and port of loopback, or the error. */
const program = `
import socket, sys
family, kind = (getattr(socket, name) for name in sys.argv[2].split())
with socket.socket(family, kind) as s:
    s.settimeout(5)
    try: print(eval(sys.argv[1])(s, (sys.argv[3] or ('::1' if family == socket.AF_INET6 else '127.0.0.1'), int(sys.argv[4]))))
    except OSError as error: print(error.errno)
`
const bind = 'lambda s, at: s.bind(at)'
const connect = 'lambda s, at: s.connect(at)'
const ask = 'lambda s, at: (s.connect(at), s.send(b"x"), s.recv(9))[2]'

/** What the command prints. */
async function says(shell: Shell, act: string, socket: string, port: number, host = '') {
  const argv = ['python3', '-c', program, act, socket, host, String(port)]
  return (await shell.execute({ argv })).stdout
}

/** A port that nothing uses. */
async function freePort(): Promise<number> {
  const server = createServer()
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  await once(server.close(), 'close')
  return port
}

const sockets = ['AF_INET SOCK_STREAM', 'AF_INET SOCK_DGRAM', 'AF_INET6 SOCK_STREAM', 'AF_INET6 SOCK_DGRAM']
const canTry = process.platform === 'linux' && isInstalled('python3')

describe.runIf(canTry)('a client of the network', () => {
  it('gets answers with it, and none without', async () => {
    const port = await tcpServer((socket) => socket.end('pong'), '::')
    const datagrams = createSocket('udp6', (_, from) => datagrams.send('pong', from.port, from.address))
    onTestFinished(() => void datagrams.close())
    await once(datagrams.bind(port), 'listening')
    for (const network of [true, false]) {
      const shell = await openTestShell({ mode: 'read', network })
      for (const socket of sockets)
        expect([socket, await says(shell, ask, socket, port)]).toEqual([socket, network ? "b'pong'\n" : ''])
    }
  })

  it.for(sockets)('gets no port of its choice, but one of the kernel’s (%s)', async (socket) => {
    const shell = await openTestShell({ mode: 'read', network: true })
    expect(await says(shell, bind, socket, await freePort())).toBe('13\n')
    expect(await says(shell, bind, socket, 0)).toBe('None\n')
  })

  it('gets it in write mode', async () => {
    const shell = await openTestShell({ mode: 'write' })
    expect(await says(shell, bind, 'AF_INET SOCK_STREAM', await freePort())).toBe('None\n')
  })
})

describe.runIf(canTry)('a command with a host list', () => {
  it.for(['127.0.0.2', '127.1.2.3', '::ffff:127.0.0.2'])(
    'connects to the proxy, and not to %s at its port',
    async (address) => {
      const shell = await openTestShell({ mode: 'read', network: ['listed.example'] })
      const { stdout } = await shell.execute({ command: 'echo "$HTTP_PROXY"' })
      const port = Number(new URL(stdout.trim()).port)
      let connections = 0
      const server = createServer((socket) => {
        connections += 1
        socket.destroy()
      })
      onTestFinished(() => void server.close())
      await once(server.listen(port, address.replace('::ffff:', '')), 'listening')
      const to = (host: string) =>
        says(shell, connect, `AF_INET${host.includes(':') ? 6 : ''} SOCK_STREAM`, port, host)
      expect([await to(address), connections]).toEqual(['13\n', 0])
      for (const own of ['127.0.0.1', '::ffff:127.0.0.1']) expect(await to(own)).toBe('None\n')
    },
  )
})

describe.runIf(process.platform === 'linux')('with the network on, what stays shut is told', () => {
  let ground: Ground

  beforeAll(async () => {
    ground = await makeGround({ network: true })
  })

  const run = (script: string) =>
    ground.shell.execute({ argv: ['/usr/bin/python3', '-c', `import socket; ${script}`] })
  const datagrams = (more: string) => `s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); ${more}`
  const group = 'socket.inet_aton("239.77.77.77") + socket.inet_aton("127.0.0.1")'
  const join = datagrams(`s.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, ${group})`)
  const { privateTmp, write } = remedies.user

  it.for([
    ['a port of choice', datagrams('s.bind(("127.0.0.1", 20077))'), 'listen 127.0.0.1:20077', write],
    ['a server', 'socket.create_server(("127.0.0.1", 20077))', 'listen 127.0.0.1:20077', privateTmp],
    ['a multicast group', join, 'socket multicast group', write],
    ['a protocol', 'socket.socket(socket.AF_INET, 1, 262)', 'socket inet mptcp', write],
    ['a unix socket', 'socket.socket(socket.AF_UNIX)', 'socket unix', write],
  ] as const)('%s', async ([, script, told, remedy]) => {
    const result = await run(script)
    expect(result.exitCode).not.toBe(0)
    expect(shorts(result)).toEqual([told])
    expect(result.hint).toContain(remedy)
    expect(result.hint).not.toContain(remedies.user.network)
  })

  it('and what a client binds is not', async ({ skip }) => {
    const reason = cannotBorrow()
    if (reason !== null) return skip(reason)
    const result = await run(datagrams('s.bind(("127.0.0.1", 0)); print(s.getsockname()[1] > 0)'))
    expect([result.stdout, shorts(result)]).toEqual(['True\n', []])
  })
})
