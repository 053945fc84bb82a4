import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { remedies } from '../../../src/messages/hints.ts'
import { openTestShell } from '../../helpers/place.ts'
import { isInstalled } from '../../helpers/programs.ts'
import { cannotBorrow } from '../../helpers/surroundings.ts'
import { type Ground, makeGround, shorts } from '../../linux/notify/denied.ts'

const program = `
import socket, sys
family, kind = (getattr(socket, name) for name in sys.argv[1:3])
with socket.socket(family, kind) as s:
    try: s.bind(('::1' if family == socket.AF_INET6 else '127.0.0.1', int(sys.argv[3]))); print('bound')
    except OSError as error: print(error.errno)
`

/** A port that nothing uses. */
async function freePort(): Promise<number> {
  const server = createServer()
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  await once(server.close(), 'close')
  return port
}

const sockets = ['AF_INET SOCK_STREAM', 'AF_INET SOCK_DGRAM', 'AF_INET6 SOCK_STREAM', 'AF_INET6 SOCK_DGRAM']

describe.runIf(process.platform === 'linux' && isInstalled('python3'))('a client of the network', () => {
  it.for(sockets)('gets no port of its choice, but one of the kernel’s (%s)', async (socket) => {
    const shell = await openTestShell({ mode: 'read', network: true })
    const bind = async (port: number) =>
      (await shell.execute({ argv: ['python3', '-c', program, ...socket.split(' '), String(port)] })).stdout
    expect([await bind(await freePort()), await bind(0)]).toEqual(['13\n', 'bound\n'])
  })

  it('gets it in write mode', async () => {
    const shell = await openTestShell({ mode: 'write' })
    const argv = ['python3', '-c', program, 'AF_INET', 'SOCK_STREAM', String(await freePort())]
    expect((await shell.execute({ argv })).stdout).toBe('bound\n')
  })
})

describe.runIf(process.platform === 'linux' && isInstalled('python3'))('a command with a host list', () => {
  const program = `
import socket, sys
host, port = sys.argv[1], int(sys.argv[2])
with socket.socket(socket.AF_INET6 if ':' in host else socket.AF_INET) as s:
    try: s.connect((host, port)); print('connected')
    except OSError as error: print(error.errno)
`

  /** A server at the address; undefined: this machine has no such address. */
  async function serverAt(address: string, port: number) {
    const connections: AddressInfo[] = []
    const server = createServer((socket) => {
      connections.push(socket.address() as AddressInfo)
      socket.destroy()
    })
    onTestFinished(() => void server.close())
    await once(server.listen(port, address), 'listening')
    return connections
  }

  const others = ['127.0.0.2', '127.1.2.3', '::ffff:127.0.0.2']

  it.for(others)('connects to the proxy, and not to %s at its port', async (address) => {
    const shell = await openTestShell({ mode: 'read', network: ['listed.example'] })
    const { stdout } = await shell.execute({ command: 'echo "$HTTP_PROXY"' })
    const { port } = new URL(stdout.trim())
    const connections = await serverAt(address.replace('::ffff:', ''), Number(port))
    const connect = async (to: string) =>
      (await shell.execute({ argv: ['python3', '-c', program, to, port] })).stdout
    expect([await connect(address), connections]).toEqual(['13\n', []])
    for (const own of ['127.0.0.1', '::ffff:127.0.0.1']) expect(await connect(own)).toBe('connected\n')
  })
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
