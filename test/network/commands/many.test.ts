import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { describe, expect, it } from 'vitest'
import { Home } from '../../cli/vitrine.ts'
import { isInstalled } from '../../helpers/programs.ts'
import { goodAt, tcpServer, webServer } from '../surroundings.ts'
import { listsRefused, openHostShell } from './surroundings.ts'

/** Opens tunnels and asks through each; prints how many opened, and how many carried an answer. */
const tunnels = (port: number, count: number) => `
import os, socket
proxy = int(os.environ['HTTP_PROXY'].rsplit(':', 1)[1])
def tunnel():
    s = socket.create_connection(('127.0.0.1', proxy))
    s.sendall(b'CONNECT good.example:${port} HTTP/1.1\\r\\nHost: good.example:${port}\\r\\n\\r\\n')
    opened.append(s.recv(100).startswith(b'HTTP/1.1 200'))
    s.sendall(b'GET /here HTTP/1.0\\r\\n\\r\\n')
    return s
opened = []
all = [tunnel() for _ in range(${count})]
print(sum(opened), sum(s.makefile('rb').read().endswith(b'here') for s in all))`

/** A server that answers no connection before there are so many. */
function serverFor(count: number): Promise<number> {
  const asking: Socket[] = []
  return tcpServer((socket) =>
    socket.once('data', () => {
      if (asking.push(socket) === count) for (const each of asking) each.end('HTTP/1.0 200 OK\r\n\r\nhere')
    }),
  )
}

describe.skipIf(listsRefused !== null || !isInstalled('python3'))('one command (needs python3)', () => {
  it('has 500 connections at once, each with its answer', { timeout: 300_000 }, async () => {
    const port = await serverFor(500)
    const shell = await openHostShell({ network: goodAt(port) })
    const result = await shell.execute({ argv: ['python3', '-c', tunnels(port, 500)], timeoutMs: 300_000 })
    expect(result).toMatchObject({ stdout: '500 500\n', exitCode: 0 })
    expect(result.connections).toHaveLength(500)
    expect(new Set(result.connections?.map(({ verdict }) => verdict))).toEqual(new Set(['allowed']))
  })
})

/** How a connection to a port of this machine ends. */
async function knock(port: number): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  const ended = once(socket, 'connect').then(
    () => 'open',
    (error: NodeJS.ErrnoException) => error.code ?? 'failed',
  )
  return ended.finally(() => socket.destroy())
}

describe.skipIf(listsRefused !== null)('vitrine run --allow-host', () => {
  const home = new Home()

  it.skipIf(!isInstalled('curl'))(
    'reaches the host and port that it names, and no other (needs curl)',
    async () => {
      const [listed, other] = [await webServer(), await webServer()]
      const ask = (port: number) => `curl -sS -o /dev/null -w '%{http_code} ' http://127.0.0.1:${port}/`
      const args = ['run', '--allow-host', `127.0.0.1:${listed.port}`, '--json', '--']
      const ran = await home.run([...args, `${ask(listed.port)}; ${ask(other.port)}`])
      const { stdout, connections } = JSON.parse(ran.stdout)
      expect(stdout).toBe('200 403 ')
      expect(connections).toMatchObject([
        { host: '127.0.0.1', port: listed.port, verdict: 'allowed' },
        { host: '127.0.0.1', port: other.port, verdict: 'refused', reason: 'not-listed' },
      ])
      expect(other.asked).toEqual([])
    },
  )

  it('leaves nothing listening when SIGKILL ends it', async () => {
    const line = 'echo "$HTTP_PROXY"; exec sleep 60'
    const child = home.start(['run', '--allow-host', '127.0.0.1:9', '--', line], { stdio: 'pipe' })
    const [url] = await once(child.stdout ?? expect.fail('no output'), 'data')
    const port = Number(new URL(String(url).trim()).port)
    expect(await knock(port)).toBe('open')
    child.kill('SIGKILL')
    await once(child, 'exit')
    expect(await knock(port)).toBe('ECONNREFUSED')
  })
})
