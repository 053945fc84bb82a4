import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openTestShell } from '../../helpers/place.ts'
import { isInstalled } from '../../helpers/programs.ts'

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

const others = ['127.0.0.2', '127.1.2.3', '::ffff:127.0.0.2'] as const

describe.runIf(process.platform === 'linux' && isInstalled('python3'))('a command with a host list', () => {
  it.for(others)('connects to the proxy, and not to %s at its port', async (address) => {
    const shell = await openTestShell({ mode: 'read', network: ['listed.example'] })
    const { stdout } = await shell.execute({ command: 'echo "$HTTP_PROXY"' })
    const { port } = new URL(stdout.trim())
    const connections = await serverAt(address.replace('::ffff:', ''), Number(port))
    const tried = await shell.execute({ argv: ['python3', '-c', program, address, port] })
    expect([tried.stdout, connections]).toEqual(['13\n', []])
    for (const own of ['127.0.0.1', '::ffff:127.0.0.1'])
      expect((await shell.execute({ argv: ['python3', '-c', program, own, port] })).stdout).toBe(
        'connected\n',
      )
  })

  it('would reach a server there without it', async () => {
    const connections = await serverAt('127.0.0.2', 0)
    const server = createServer(() => {})
    await once(server.listen(0, '127.0.0.2'), 'listening')
    const { port } = server.address() as AddressInfo
    const socket = connect(port, '127.0.0.2')
    await once(socket, 'connect')
    socket.destroy()
    server.close()
    expect(connections).toEqual([])
  })
})
