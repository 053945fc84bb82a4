import { once } from 'node:events'
import { createServer as createWebServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { isInstalled } from '../../../helpers/programs.ts'
import { noPython3, openWorld, serve } from './world.ts'

/** Tries each address, blocking and not, as psql and redis-cli do: without a proxy. */
const ask = (...addresses: string[]) => [
  'python3',
  '-c',
  `
import asyncio, errno, socket, sys
async def late(host, port):
    reader, _ = await asyncio.open_connection(host, port)
    return (await reader.read()).decode()
def at_once(host, port):
    with socket.create_connection((host, port)) as client: return client.recv(9).decode()
for address in sys.argv[1:]:
    host, _, port = address.rpartition(':')
    told = []
    for way in at_once, lambda *where: asyncio.run(late(*where)):
        try: told.append(way(host, int(port)))
        except OSError as error: told.append(errno.errorcode[error.errno])
    print(*told)`,
  ...addresses,
]

describe.skipIf(noPython3)(
  'a listed service of loopback, to programs that know no proxy (needs python3)',
  () => {
    it.each(['127.0.0.1', '::1', '127.8.8.8'])('is reached at %s, and nothing beside it is', async (host) => {
      const [listed, other] = [await serve(host), await serve(host)]
      const inBrackets = host === '::1' ? '[::1]' : host
      const shell = await openWorld({ network: [`${inBrackets}:${listed.port}`, 'registry.example'] })
      const result = await shell.execute({ argv: ask(`${host}:${listed.port}`, `${host}:${other.port}`) })
      expect(result).toMatchObject({ stdout: 'pong pong\nEACCES EACCES\n', stderr: '' })
      expect(result.denials).toMatchObject([{ operation: 'connect', count: 2 }])
      expect(other.clients()).toBe(0)
    })

    it('is reached by the mapped address, too, but at no other of the machine', async () => {
      const { port } = await serve('0.0.0.0')
      const shell = await openWorld({ network: [`127.0.0.1:${port}`] })
      const { stdout } = await shell.execute({
        argv: ask(`::ffff:127.0.0.1:${port}`, `0.0.0.0:${port}`, `127.0.0.2:${port}`),
      })
      expect(stdout).toBe('pong pong\npong pong\nEACCES EACCES\n')
    })

    it('is reached on the ports 80 and 443 where the entry has none', async () => {
      const shell = await openWorld({ network: ['127.66.7.8'] })
      const { stdout } = await shell.execute({
        argv: ask('127.66.7.8:80', '127.66.7.8:443', '127.66.7.8:81'),
      })
      expect(stdout).toBe('ECONNREFUSED ECONNREFUSED\n'.repeat(3))
      const { port, clients } = await serve('127.66.7.8')
      expect((await shell.execute({ argv: ask(`127.66.7.8:${port}`) })).stdout).toBe('EACCES EACCES\n')
      expect(clients()).toBe(0)
    })

    it('is not reached where [network] deny, the call, or the project has it otherwise', async () => {
      const { port, clients } = await serve('127.0.0.1')
      const address = `127.0.0.1:${port}`
      const denying = await openWorld({
        network: [address],
        toml: `[network]\ndeny = ["${address}"]\n`,
      })
      expect((await denying.execute({ argv: ask(address) })).stdout).toBe('EACCES EACCES\n')
      const shell = await openWorld({ network: [address] })
      for (const network of [false, ['registry.example'], ['127.0.0.1']])
        expect((await shell.execute({ argv: ask(address), network })).stdout).toBe('EACCES EACCES\n')
      expect((await shell.execute({ argv: ask(address), network: [address] })).stdout).toBe('pong pong\n')
      expect(clients()).toBe(2)
    })

    it('is reached by the proxy alone with own_sockets = false', async () => {
      const { port, clients } = await serve('127.0.0.1')
      const shell = await openWorld({
        network: [`127.0.0.1:${port}`],
        toml: '[shell]\nown_sockets = false\n',
      })
      const { stdout } = await shell.execute({ argv: ask(`127.0.0.1:${port}`) })
      expect({ stdout, clients: clients() }).toEqual({ stdout: 'EACCES EACCES\n', clients: 0 })
      expect((await shell.execute({ command: 'echo "$NO_PROXY"' })).stdout).toBe('\n')
    })

    it('opens no other machine', async () => {
      const { port } = await serve('127.0.0.1')
      const shell = await openWorld({ network: [`127.0.0.1:${port}`] })
      expect((await shell.execute({ argv: ask(`203.0.113.1:${port}`) })).stdout).toBe('EACCES EACCES\n')
    })

    it.skipIf(!isInstalled('curl'))(
      'is reached beside the proxy by clients that know it, as NO_PROXY says (needs curl)',
      async () => {
        const server = createWebServer((_, response) => response.end('pong\n'))
        server.listen({ port: 0, host: '127.0.0.1' })
        onTestFinished(() => void server.close())
        await once(server, 'listening')
        const { port } = server.address() as AddressInfo
        const shell = await openWorld({ network: [`127.0.0.1:${port}`] })
        const urls = [`http://127.0.0.1:${port}/`, `http://localhost:${port}/`]
        const result = await shell.execute({ argv: ['curl', '-sS', ...urls] })
        expect(result).toMatchObject({ stdout: 'pong\npong\n', denials: [], connections: [] })
        expect((await shell.execute({ command: 'echo "$NO_PROXY"' })).stdout).toBe(
          'localhost,127.0.0.1,::1\n',
        )
      },
    )
  },
)
