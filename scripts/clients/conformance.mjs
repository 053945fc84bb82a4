// The official conformance suite over HTTP. It carries no token, so a proxy on this machine adds it.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, request } from 'node:http'
import { join } from 'node:path'
import { root } from '../freshness.mjs'
import { bare, expect, installed, makeHome, program, run } from './place.mjs'

const expected = join(root, 'test/mcp/conformance-expected.yml')
const token = 'conformance'

async function serve(home) {
  const env = { ...bare(home), VITRINE_TOKEN: token }
  const server = spawn(process.execPath, [program, 'mcp', '--http', '0'], {
    env,
    cwd: home,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const [said] = await once(server.stderr, 'data')
  server.stderr.resume()
  return { server, port: Number(/:(\d+)\/mcp/.exec(said)[1]) }
}

/** Host and Origin stay as the suite sends them: it tries DNS rebinding. */
async function proxy(port) {
  const server = createServer((asked, answer) => {
    const headers = { ...asked.headers, authorization: `Bearer ${token}` }
    const options = { host: '127.0.0.1', port, path: asked.url, method: asked.method, headers }
    const passed = request(options, (response) => {
      answer.writeHead(response.statusCode, response.headers)
      response.pipe(answer)
    })
    passed.on('error', () => answer.destroy())
    answer.on('close', () => passed.destroy())
    asked.pipe(passed)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return server
}

async function conformance() {
  const home = makeHome()
  const { server, port } = await serve(home)
  const proxied = await proxy(port)
  try {
    const bin = join(installed('@modelcontextprotocol/conformance@0.2.0-alpha.12'), '.bin/conformance')
    const env = bare(home, join(installed('node@22.23.3'), '.bin'))
    const url = `http://127.0.0.1:${proxied.address().port}/`
    const args = ['server', '--url', url, '--requirements', '2026-07-28', '--expected-failures', expected]
    const { code, text } = await run(bin, args, { env, timeoutMs: 300_000 })
    if (code !== 0) throw new Error(text.slice(-4000))
    expect(text, /dns-rebinding-protection: 2 passed, 0 failed/)
    return `${text.match(/^ {2}~ /gm)?.length ?? 0} checks failed as expected, no other`
  } finally {
    proxied.close()
    proxied.closeAllConnections()
    server.kill()
    await once(server, 'exit')
  }
}

export const checks = { 'conformance suite 2026-07-28': conformance }
