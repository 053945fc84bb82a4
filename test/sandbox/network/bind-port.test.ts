import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { describe, expect, it } from 'vitest'
import { openTestShell } from '../../helpers/place.ts'
import { isInstalled } from '../../helpers/programs.ts'

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
