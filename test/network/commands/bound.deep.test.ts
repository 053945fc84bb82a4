import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { makeDirectory } from '../../helpers/place.ts'
import { isInstalled } from '../../helpers/programs.ts'
import { listsRefused, openListedShell } from './surroundings.ts'

/** As many as the proxy serves (src/network/proxy.ts). */
const most = 1536

/** Takes all of the proxy's connections until its input ends. */
const flood = (proxy: string) => `
import socket, sys
all = [socket.create_connection(('127.0.0.1', ${proxy})) for _ in range(${most})]
print('full', flush=True)
sys.stdin.read()`

const command = `
import os, socket, time
def wait(name):
    while not os.path.exists(name): time.sleep(0.01)
proxy = int(os.environ['HTTP_PROXY'].rsplit(':', 1)[1])
print(proxy, flush=True)
wait('full')
s = socket.create_connection(('127.0.0.1', proxy))
own = s.getsockname()[1]
try: s.recv(1)
except OSError: pass
s.close()
print(own, flush=True)
wait('asked')`

/** What the proxy answers to a request without a secret; '' where it closes the connection, or the port is not free yet. */
async function answerFrom(localPort: number, proxy: number, port: number): Promise<string> {
  const parts: Buffer[] = []
  const socket = connect({ host: '127.0.0.1', port: proxy, localPort })
  socket.on('error', () => {}).on('data', (chunk) => parts.push(chunk))
  socket.write(`GET http://good.example:${port}/a HTTP/1.1\r\nConnection: close\r\n\r\n`)
  await once(socket, 'close')
  return Buffer.concat(parts).toString()
}

describe.skipIf(listsRefused !== null || !isInstalled('python3'))('over the bound (needs python3)', () => {
  it('a closed connection leaves its port to no other user', { timeout: 120_000 }, async () => {
    const cwd = makeDirectory()
    const { port, shell } = await openListedShell({ cwd })
    const lines: string[] = []
    let told = () => {}
    const line = async (at: number) => {
      while (lines.join('').split('\n').length < at + 2)
        await new Promise<void>((resolve) => (told = resolve))
      return lines.join('').split('\n')[at] ?? ''
    }
    const onOutput = (_: unknown, chunk: unknown) => {
      lines.push(`${chunk}`)
      told()
    }
    const running = shell.execute({ argv: ['python3', '-c', command], timeoutMs: 100_000 }, { onOutput })
    const proxy = await line(0)
    const other = spawn('python3', ['-c', flood(proxy)])
    await once(other.stdout, 'data')
    writeFileSync(join(cwd, 'full'), '')
    const own = Number(await line(1))
    other.stdin.end()
    let answer = ''
    while (!answer) answer = await answerFrom(own, Number(proxy), port)
    expect(answer).toContain('407')
    writeFileSync(join(cwd, 'asked'), '')
    expect((await running).exitCode).toBe(0)
  })
})
