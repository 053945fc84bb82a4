import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { loadConfig } from '../../src/internal.ts'
import { brokenGraceMs } from '../../src/mcp/execute.ts'
import { type HttpOptions, serveOnHttp } from '../../src/mcp/http/server.ts'
import { McpSession } from '../../src/mcp/session.ts'
import { Home } from '../cli/vitrine.ts'
import { makeDirectory } from '../helpers/place.ts'
import { aliveWith, survivors, waitFor } from '../helpers/processes.ts'
import { caller, eras, madeIn, marked } from './connect.ts'
import { client, json, serve } from './serve-http.ts'

/** fetch(3) cannot choose the Host header. */
function post(url: string, headers: Readonly<Record<string, string>>): Promise<number> {
  const sent = request(url, { method: 'POST', headers: { ...json, ...headers } })
  sent.end(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }))
  return once(sent, 'response').then(([response]) => {
    response.resume()
    return response.statusCode
  })
}

describe('over HTTP', () => {
  it.each(eras)('a client of the %s era runs commands', async (era) => {
    const { url, token } = await serve()
    const { run } = await client(era, url, token)
    expect((await run({ command: 'echo x; exit 3' })).text).toBe('x\n[exit code: 3]')
    const told: unknown[] = []
    await run({ command: 'sleep 1.2' }, { onprogress: (progress) => told.push(progress) })
    expect(told.length).toBeGreaterThan(0)
  })

  it.each(['127.1:0', '[::ffff:127.0.0.1]:0', '[::1]:0', 'LOCALHOST:0'])(
    '%s is loopback, so another name is refused there too',
    async (address) => {
      const { url, token } = await serve(['--http', address], { VITRINE_TOKEN: 'chosen-by-me-0123' })
      const Authorization = `Bearer ${token}`
      expect(await post(url, { Authorization, Host: 'evil.example' })).toBe(403)
      expect(await post(url, { Authorization, Host: 'localhost' })).toBe(400)
    },
  )

  it('refuses no token, another name (DNS rebinding) and web pages', async () => {
    const { url, said } = await serve([], { VITRINE_TOKEN: 'chosen-by-me' })
    const Authorization = 'Bearer chosen-by-me'
    const rows = [
      [401, {}],
      [401, { Authorization: `${Authorization}x` }],
      [401, { Authorization: 'Basic chosen-by-me' }],
      [403, { Authorization, Host: 'evil.example' }],
      [403, { Authorization, Host: 'localhost.evil.example' }],
      [403, { Authorization, Origin: 'http://evil.example' }],
      [403, { Authorization, Origin: 'null' }],
      [400, { Authorization }],
      [400, { Authorization, Host: 'localhost:1', Origin: 'http://localhost:1' }],
    ] as const
    const statuses: number[] = []
    for (const [, headers] of rows) statuses.push(await post(url, headers))
    expect(statuses).toEqual(rows.map(([status]) => status))
    expect(said()).not.toContain('chosen-by-me')
  })

  it('commands do not see the token', async () => {
    const { url, token } = await serve([], { VITRINE_TOKEN: 'chosen-by-me' })
    const { run } = await client('modern', url, token)
    const { text } = await run({ command: 'env; tr "\\0" "\\n" < /proc/$PPID/environ; echo "$PPID"' })
    expect(text).toMatch(/PATH=/)
    expect(text).not.toContain('chosen-by-me')
  })

  it.each([
    [['--http', '0.0.0.0:0'], {}, 'Other machines can reach 0.0.0.0,'],
    [['--http', '[::]:0'], {}, 'Other machines can reach ::,'],
    [['--http', '0'], { VITRINE_TOKEN: '' }, 'VITRINE_TOKEN is empty.'],
    [['--http', '0'], { VITRINE_TOKEN: 'two words' }, 'which no client can send'],
    [['--http', '0'], { VITRINE_TOKEN: 'clé' }, 'which no client can send'],
    [['--http', 'here'], {}, '--http takes a port or HOST:PORT'],
    [['--http', '127.0.0.1:99999'], {}, 'not "127.0.0.1:99999"'],
  ])('%j %j does not listen', async (args, env, told) => {
    const ran = await new Home().run(['mcp', ...args], { env })
    expect(ran).toMatchObject({ code: 125, stdout: '' })
    expect(ran.stderr).toContain(told)
  })

  it('/healthz answers without a token, other paths do not exist', async () => {
    const { url, token } = await serve()
    const health = await fetch(new URL('/healthz', url))
    expect([health.status, await health.json()]).toEqual([200, { status: 'ok' }])
    expect(await post(new URL('/other', url).href, { Authorization: `Bearer ${token}` })).toBe(404)
  })

  it('each session has a shell, and so a scratchpad, of its own', async () => {
    const { url, token } = await serve()
    const [one, two] = await Promise.all([client('legacy', url, token), client('legacy', url, token)])
    await one.run({ command: 'echo x', scratchpad: 'mine' })
    expect((await caller(one.client, 'read_scratchpad')({})).text).toMatch(/^mine /)
    expect((await caller(two.client, 'read_scratchpad')({})).text).toBe('This session has no saved outputs.')
    expect((await caller(two.client, 'read_scratchpad')({ name: 'mine' })).isError).toBe(true)
  })

  it('without a session an answer holds for one command: a is none, y is', async () => {
    const { url, token, home } = await serve(['--mode', 'write', '--approve', 'elicit'])
    const answers = ['a', 'y', 'n']
    const elicit = () => ({ action: 'accept' as const, content: { answer: answers.shift() ?? 'n' } })
    const { run } = await client('modern', url, token, elicit)
    for (const name of ['a', 'b', 'c']) await run({ command: `touch ${name}` })
    expect(madeIn(home.directory)).toEqual(['b'])
    expect(answers).toEqual([])
  })

  it.runIf(process.platform === 'linux')(
    'a command that waits for an answer about a protected path outlives the request that asks',
    async () => {
      const home = new Home()
      home.configure('[workspace]\non_protected = "ask"\n')
      const project = join(home.directory, 'project')
      mkdirSync(project)
      const args = ['--mode', 'workspace', '--approve', 'elicit', '--cwd', project]
      const { url, token } = await serve(args, {}, home)
      const { run } = await client('modern', url, token, async () => {
        await setTimeout(brokenGraceMs + 1_000)
        return { action: 'accept', content: { answer: 'y' } }
      })
      expect(await run({ command: 'echo x > .envrc; cat .envrc' })).toMatchObject({
        text: expect.stringMatching(/^x\n\[look before .*\.envrc \(direnv\)\]$/),
      })
    },
  )

  it('with one, a holds for the rest of it, and for no other', async () => {
    const { url, token, home } = await serve(['--mode', 'write', '--approve', 'elicit'])
    const all = await client('legacy', url, token, () => ({ action: 'accept', content: { answer: 'a' } }))
    const none = await client('legacy', url, token, () => ({ action: 'decline' }))
    for (const name of ['a', 'b']) await all.run({ command: `touch ${name}` })
    await none.run({ command: 'touch c' })
    expect(madeIn(home.directory)).toEqual(['a', 'b'])
  })

  it('a client that goes away in the middle of a call takes its command with it', async () => {
    const { url, token } = await serve()
    const { run } = await client('modern', url, token)
    const marker = marked()
    const stop = new AbortController()
    const call = run({ command: `sleep ${marker}` }, { signal: stop.signal })
    expect(await waitFor(() => aliveWith(marker).length > 0)).toBe(true)
    stop.abort()
    await expect(call).rejects.toThrow()
    expect(await survivors(marker)).toEqual([])
  })

  it('until it has ended, it answers that it is ending', async () => {
    const { home, url, token, server, said, exited } = await serve()
    const { run } = await client('legacy', url, token)
    const marker = marked()
    const go = join(home.directory, 'go')
    const call = run({ command: `: ${marker}; until test -e '${go}'; do sleep 0.05; done; echo done` })
    expect(await waitFor(() => aliveWith(marker).length > 0)).toBe(true)
    server.kill('SIGTERM')
    expect(await waitFor(() => said().includes('shutting down: waiting for running commands'))).toBe(true)
    const health = await fetch(new URL('/healthz', url), { headers: { connection: 'close' } })
    expect([health.status, await health.json()]).toEqual([200, { status: 'draining' }])
    expect((await fetch(new URL('/readyz', url))).status).toBe(503)
    expect(await post(url, { Authorization: `Bearer ${token}` })).toBe(503)
    writeFileSync(go, '')
    expect((await call).text).toBe('done\n')
    expect(await exited).toEqual([0, null])
  })

  it.each(eras)('a second signal ends what runs, and a client of the %s era is told', async (era) => {
    const { url, token, server, said, exited } = await serve()
    const { run } = await client(era, url, token)
    const marker = marked()
    const calls = [{}, { next: ['echo next'], ignore_errors: true }].map((more) =>
      run({ command: `echo begun; sleep ${marker}`, ...more }),
    )
    expect(await waitFor(() => aliveWith(marker).length > 3)).toBe(true)
    server.kill('SIGTERM')
    expect(await waitFor(() => said().includes('shutting down: waiting for running commands'))).toBe(true)
    server.kill('SIGTERM')
    const [one, list] = await Promise.all(calls)
    expect(one?.text).toBe('begun\n[cancelled: the server is ending]')
    expect(list?.text).toContain('begun\n[cancelled: the server is ending]')
    expect(list?.text).not.toMatch(/^next$/m)
    expect(await exited).toEqual([0, null])
    expect(await survivors(marker, 0)).toEqual([])
  })

  it('a session that fills all places keeps no other one waiting', async () => {
    const turns = 4
    const { url, token } = await serve([], { VITRINE_HTTP_TURNS: String(turns) })
    const [busy, other] = [await client('legacy', url, token), await client('legacy', url, token)]
    const marker = marked()
    for (let n = 0; n < turns + 4; n++) busy.run({ command: `exec sleep ${marker}` }).catch(() => {})
    expect(await waitFor(() => aliveWith(marker).length === turns)).toBe(true)
    expect((await other.run({ command: 'echo x' })).text).toBe('x\n')
    expect(aliveWith(marker)).toHaveLength(turns)
  })

  it('an idle session is closed, one at work is not', async () => {
    const { url, made } = await serveHere({ idle_ms: 2000 })
    const { run } = await client('legacy', url, 'token')
    expect((await run({ command: 'sleep 3; echo x' })).text).toBe('x\n')
    const session = made.at(-1)
    const ended = async () => (await session?.shell('read'))?.executeAll(['true']).catch((error) => error)
    const problem = { kind: 'shell-closed' }
    await expect.poll(ended, { timeout: 10_000 }).toMatchObject({ refusal: { problem } })
    await expect(run({ command: 'echo x' })).rejects.toMatchObject({ status: 404 })
  })
})

/** A server in this process, and the sessions that it has made. */
async function serveHere(settings: Partial<HttpOptions['settings']> = {}, more: Partial<HttpOptions> = {}) {
  const made: McpSession[] = []
  const cwd = makeDirectory()
  const log = () => {}
  const options = {
    version: '0',
    toolPerMode: false,
    structured: false,
    earlierSessions: false,
    cwd,
    log,
  } as const
  const makeSession = () => {
    const session = new McpSession({ ...options, approve: 'client', modes: ['read'] })
    made.push(session)
    return session
  }
  const reported: Readonly<Record<string, unknown>>[] = []
  const { tokens: _, ...defaults } = (await loadConfig({ cwd, env: {} })).config.http
  const server = await serveOnHttp({
    host: '127.0.0.1',
    port: 0,
    tokens: [{ name: 'only', token: 'token', runsCommands: true }],
    settings: { ...defaults, drain_ms: 0, ...settings },
    makeSession,
    log,
    report: (event) => reported.push(event),
    ...more,
  })
  onTestFinished(() => server.close())
  return { url: server.url, made, reported }
}

const headers = { authorization: 'Bearer token', ...json }

/** One request of a client of MCP 2025-11-25, which has a session, in the headers of the answer to `initialize`. */
async function ask(url: string, session: string, method: string, params: object = {}): Promise<Response> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const own = session === '' ? {} : { 'mcp-session-id': session }
  const response = await fetch(url, { method: 'POST', headers: { ...headers, ...own }, body })
  await response.text()
  return response
}

function begin(url: string): Promise<Response> {
  const clientInfo = { name: 'test', version: '1' }
  return ask(url, '', 'initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo })
}

describe('clients that never end their session', () => {
  it('the longest idle one makes room for the next client, but none that is in use', async () => {
    const { url, made, reported } = await serveHere({ sessions: 3, idle_ms: 20_000, instance: 'a' })
    const ids: string[] = []
    for (let count = 0; count < 3; count++) ids.push((await begin(url)).headers.get('mcp-session-id') ?? '')
    const full = await begin(url)
    expect([full.status, full.headers.get('retry-after')]).toEqual([503, '5'])
    const status = async (at: number) => (await ask(url, ids[at] ?? '', 'tools/list')).status
    let end = () => {}
    const ended = new Promise<void>((resolve) => (end = resolve))
    const first = made[0]?.busy(() => ended)
    await expect.poll(async () => (await begin(url)).status, { timeout: 10_000 }).toBe(200)
    expect(await Promise.all([status(0), status(1)])).toEqual([200, 404])
    expect(reported.find(({ event }) => event === 'session')).toMatchObject({
      session: ids[1]?.slice(0, 'a.12345678'.length),
      token: 'only',
      ended: 'room',
      instance: 'a',
    })
    end()
    await first
  })
})

it('a connection that breaks ends its command after a grace, and the session goes on', async () => {
  const { url } = await serveHere({}, { brokenGraceMs: 1000 })
  const session = (await begin(url)).headers.get('mcp-session-id') ?? ''
  const marker = marked()
  const calling = new AbortController()
  const params = { name: 'execute_command', arguments: { command: `sleep ${marker}`, timeout_ms: 120_000 } }
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })
  const own = { ...headers, 'mcp-session-id': session }
  fetch(url, { method: 'POST', headers: own, body, signal: calling.signal }).catch(() => {})
  expect(await waitFor(() => aliveWith(marker).length > 0)).toBe(true)
  const broken = performance.now()
  calling.abort()
  expect(await waitFor(() => aliveWith(marker).length === 0)).toBe(true)
  expect(performance.now() - broken).toBeGreaterThanOrEqual(900)
  expect((await ask(url, session, 'tools/list')).status).toBe(200)
})
