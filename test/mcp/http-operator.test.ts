import { spawn } from 'node:child_process'
import { chmodSync, cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { Home } from '../cli/vitrine.ts'
import { makeDirectory } from '../helpers/place.ts'
import { aliveWith, waitFor } from '../helpers/processes.ts'
import { readable, repository } from '../helpers/programs.ts'
import { caller, callOf, initialize, madeIn, marked } from './connect.ts'
import { client, json, serve } from './serve-http.ts'

const [ci, ops, scraper] = ['ci', 'ops', 'scraper'].map((name) => `${name}-0123456789abcdef`) as [
  string,
  string,
  string,
]

const patient = { timeout: 20_000 }
const tracing = fileURLToPath(new URL('../fixtures/tracing.cjs', import.meta.url))

function homeWith(tokens: string) {
  const home = new Home()
  const project = join(home.directory, 'project')
  const file = join(project, 'tokens')
  mkdirSync(project)
  writeFileSync(file, tokens, { mode: 0o600 })
  return { home, project, file, env: { VITRINE_HTTP_TOKENS: file } }
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

function send(url: string, token: string, body: object, session?: string, more = {}): Promise<Response> {
  const own = session === undefined ? {} : { 'mcp-session-id': session }
  const headers = { ...json, ...bearer(token), ...own, ...more }
  return fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
}

describe('several tokens', () => {
  it('have modes, sessions and saved outputs of their own, and no command reads those of another', async () => {
    const tokens = `# clients\nci read ${ci}\nops read,workspace ${ops}\nscraper none ${scraper}\n`
    const { home, project, file, env } = homeWith(tokens)
    const { url } = await serve(['--cwd', project], env, home)
    const [one, other] = [await client('legacy', url, ci), await client('legacy', url, ops)]
    const toolsOf = async ({ client }: typeof one) =>
      (await client.listTools()).tools.map(({ name }) => name).filter((name) => name.startsWith('execute'))
    expect(await toolsOf(one)).toEqual(['execute_command'])
    expect(await toolsOf(other)).toEqual(['execute_command_workspace'])
    const write = caller(other.client, 'execute_command_workspace')
    const path = async (run: typeof write) => {
      const { text } = await run({ command: 'echo secret', scratchpad: 'mine' })
      return /saved .* at (\S+?)[;\]]/.exec(text)?.[1] ?? ''
    }
    const [ofOne, ofOther] = [await path(one.run), await path(write)]
    expect((await one.run({ command: `cat ${ofOne}` })).text).toBe('secret\n')
    expect((await write({ command: `cat ${ofOther}` })).text).toBe('secret\n')
    for (const [run, own] of [
      [one.run, ofOther],
      [write, ofOne],
    ] as const)
      for (const foreign of [own, file])
        expect((await run({ command: `cat ${foreign}` })).text).toMatch(/ermission denied/)
    const change = { command: `echo x > new; echo y >> '${file}'`, mode: 'workspace' }
    expect((await write(change)).text).toMatch(/blocked in workspace mode/)
    expect([madeIn(project), readFileSync(file, 'utf8')]).toEqual([['new', 'tokens'], tokens])
  })

  it('one continues no session of another, and one without modes only reads /metrics', async () => {
    const { home, env } = homeWith(`ci read ${ci}\nops read ${ops}\nscraper none ${scraper}\n`)
    const { url } = await serve([], env, home)
    const session = (await send(url, ci, initialize)).headers.get('mcp-session-id') ?? ''
    const list = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }
    const statuses = [
      (await send(url, ci, list, session)).status,
      (await send(url, ops, list, session)).status,
      (await send(url, scraper, initialize)).status,
      (await fetch(new URL('/metrics', url), { headers: bearer(scraper) })).status,
      (await fetch(new URL('/metrics', url))).status,
    ]
    expect(statuses).toEqual([200, 404, 403, 200, 401])
  })

  it.each([
    ['a read', [], ':1: expected NAME MODES TOKEN'],
    ['\na all 0123456789abcdef', [], ':2: expected NAME MODES TOKEN'],
    ['a read x\na read y', [], '"a" stands there twice'],
    ['a read x\nb read x', [], 'b has the token of another client'],
    ['# none', [], 'has no tokens'],
    ['a write 0123456789abcdef', ['--mode', 'read'], 'The token a may use write, but --mode serves read'],
    ['a read short', ['--http', '0.0.0.0:0'], 'shorter than 16 characters'],
  ])('%j %j does not listen', async (tokens, args, told) => {
    const { home, env } = homeWith(tokens)
    const address = args.includes('--http') ? [] : ['--http', '0']
    const ran = await home.run(['mcp', ...address, ...args], { env })
    expect(ran).toMatchObject({ code: 125, stdout: '' })
    expect(ran.stderr).toContain(told)
  })
})

it('sessions are named by the instance, and hosts and origins can be allowed', async () => {
  const env = {
    VITRINE_HTTP_INSTANCE: 'pod-1',
    VITRINE_HTTP_ORIGINS: 'https://app.example',
    VITRINE_TOKEN: ci,
  }
  const { url } = await serve([], { ...env, VITRINE_HTTP_HOSTS: '*' })
  const origin = { ...json, ...bearer(ci), origin: 'https://app.example' }
  const answer = await fetch(url, { method: 'POST', headers: origin, body: JSON.stringify(initialize) })
  expect(answer.headers.get('mcp-session-id')).toMatch(/^pod-1\.[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
  const evil = { ...origin, origin: 'https://evil.example' }
  expect((await fetch(url, { method: 'POST', headers: evil, body: '{}' })).status).toBe(403)
})

it('/metrics counts what ran, was denied and refused; a line tells of each session and refusal', async () => {
  const { url, token, reported } = await serve([], { VITRINE_TOKEN: ci })
  const { client: connected, run } = await client('legacy', url, token)
  await run({ command: 'echo x > new; exit 3' })
  await run({ command: 'sleep 9', timeout_ms: 50 })
  await run({ command: 'true', cwd: '/nowhere' })
  await fetch(url, { method: 'POST', headers: { 'mcp-session-id': 'other.\x9b2J' } })
  const metrics = await (await fetch(new URL('/metrics', url), { headers: bearer(token) })).text()
  for (const line of [
    'vitrine_sessions 1',
    'vitrine_commands_waiting 0',
    'vitrine_commands_running 0',
    'vitrine_commands_total{mode="read",outcome="exited"} 1',
    'vitrine_commands_total{mode="read",outcome="timed-out"} 1',
    'vitrine_commands_total{mode="read",outcome="INVALID_REQUEST"} 1',
    'vitrine_command_seconds_count{mode="read"} 2',
    'vitrine_denials_total{operation="create"} 1',
    'vitrine_refused_requests_total{status="401"} 1',
  ])
    expect(metrics.split('\n')).toContain(line)
  expect(metrics).toContain('process_resident_memory_bytes')
  await (connected.transport as { terminateSession?: () => Promise<void> }).terminateSession?.()
  const events = () =>
    reported().map(({ event, code, status, ended, calls }) => ({ event, code, status, ended, calls }))
  await expect.poll(events, patient).toEqual([
    { event: 'refused', code: 'INVALID_REQUEST' },
    { event: 'refused', status: 401 },
    { event: 'session', ended: 'client', calls: 3 },
  ])
  expect(JSON.stringify(reported())).not.toMatch(/other|0123456789abcdef/)
})

it('does not listen with a file of tokens that others can change', async () => {
  const { home, file, env } = homeWith(`ci read ${ci}\n`)
  chmodSync(file, 0o646)
  const ran = await home.run(['mcp', '--http', '0'], { env })
  expect(ran).toMatchObject({ code: 125, stderr: expect.stringContaining('Other users can write to') })
})

it('/readyz says no where no command can run', async () => {
  const ready = async (env = {}) => {
    const { url, said } = await serve([], env)
    const answer = await fetch(new URL('/readyz', url))
    return { status: answer.status, said }
  }
  expect(await ready()).toMatchObject({ status: 200 })
  const not = await ready({ VITRINE_SHELL_SANDBOX: 'false' })
  expect(not.status).toBe(503)
  await expect.poll(not.said, patient).toContain('not ready: [shell] sandbox = false')
})

it('while it ends it takes what is about running commands, and no further call', async () => {
  const { url, server, said, exited } = await serve([], { VITRINE_TOKEN: ci })
  const session = (await send(url, ci, initialize)).headers.get('mcp-session-id') ?? ''
  const marker = marked()
  const params = { name: 'execute_command', arguments: { command: `sleep ${marker}` } }
  const call = send(url, ci, { jsonrpc: '2.0', id: 7, method: 'tools/call', params }, session)
  expect(await waitFor(() => aliveWith(marker).length > 0)).toBe(true)
  server.kill('SIGTERM')
  expect(await waitFor(() => said().includes('shutting down'))).toBe(true)
  for (const id of [session, undefined]) {
    const refused = await send(url, ci, { jsonrpc: '2.0', id: 8, method: 'tools/call', params }, id)
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1'])
    expect(await refused.text()).toContain('Nothing ran. Retry.')
  }
  const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 7 } }
  expect((await send(url, ci, cancel, session)).status).toBe(202)
  expect(await waitFor(() => aliveWith(marker).length === 0)).toBe(true)
  await call.then((answer) => answer.text()).catch(() => {}) // no answer follows (MCP, Cancellation)
  expect(await exited).toEqual([0, null])
})

it('while a command runs its answer has no head, and a proxy can tell that the server is gone', async () => {
  const { url } = await serve([], { VITRINE_TOKEN: ci })
  const session = (await send(url, ci, initialize)).headers.get('mcp-session-id') ?? ''
  const marker = marked()
  let begun = false
  const call = send(url, ci, callOf(2, `sleep ${marker} & wait`), session).then(() => (begun = true))
  expect(await waitFor(() => aliveWith(marker).length > 0)).toBe(true)
  const listening = fetch(url, { headers: { ...json, ...bearer(ci), 'mcp-session-id': session } })
  expect((await listening).status).toBe(200)
  expect(begun).toBe(false)
  for (const pid of aliveWith(marker)) process.kill(pid)
  await call
})

it('the session with the fewest running commands is next', async () => {
  const { url, token, home } = await serve(['--mode', 'write'], {
    VITRINE_HTTP_TURNS: '4',
    VITRINE_TOKEN: ci,
  })
  const [busy, other] = [await client('legacy', url, token), await client('legacy', url, token)]
  const begin = (run: typeof busy.run, name: string) =>
    run({ command: `touch ${name}; until test -e go-${name}; do sleep 0.02; done` })
  const made = () => madeIn(home.directory).filter((name) => !name.startsWith('go'))
  const go = (name: string) => writeFileSync(join(home.directory, `go-${name}`), '')
  const [four, one] = [['a1', 'a2', 'a3', 'a4'], ['b1']] as const
  const calls = four.map((name) => begin(busy.run, name))
  await expect.poll(() => made().sort(), patient).toEqual(four)
  calls.push(begin(busy.run, 'a5'), begin(busy.run, 'a6'))
  for (const name of [...one, 'b2', 'b3']) calls.push(begin(other.run, name))
  await expect.poll(() => made().sort(), patient).toEqual([...four, ...one])
  // Then two run of the one and one of the other, whose calls have come later.
  for (const name of ['a1', 'a2']) go(name)
  await expect.poll(() => made().sort(), patient).toEqual([...four, ...one, 'b2'])
  for (const name of [...four, ...one, 'a5', 'a6', 'b2', 'b3']) go(name)
  await Promise.all(calls)
})

/** Serves by the files of a directory, with the packages that are to be found from there. */
async function serveFrom(directory: string, home: Home, more: Readonly<Record<string, string>>) {
  const env = { ...home.env, VITRINE_TOKEN: ci, ...more }
  const args = [join(directory, 'dist/cli.cjs'), 'mcp', '--http', '0']
  const server = spawn(process.execPath, args, { env, cwd: home.directory })
  onTestFinished(() => void server.kill('SIGKILL'))
  let said = ''
  server.stderr.on('data', (chunk) => (said += chunk))
  await expect.poll(() => said, patient).toContain('listening on')
  return { url: /http:\/\/\S+/.exec(said)?.[0] ?? '', said: () => said }
}

it('where OTEL_* is set a call is a span of the caller’s trace, without the command', async () => {
  const home = new Home()
  const spans = join(home.directory, 'spans')
  const env = {
    OTEL_SERVICE_NAME: 'x',
    NODE_OPTIONS: `--require "${tracing}"`,
    SPANS: spans,
    VITRINE_TOKEN: ci,
  }
  const { url } = await serveFrom(repository, home, env)
  const session = (await send(url, ci, initialize)).headers.get('mcp-session-id') ?? ''
  const [traceId, spanId] = ['4bf92f3577b34da6a3ce929d0e0e4736', '00f067aa0ba902b7']
  const traceparent = { traceparent: `00-${traceId}-${spanId}-01` }
  for (const given of [{ command: 'echo key=secret; exit 3' }, { command: 'true', cwd: '/nowhere' }])
    await (await send(url, ci, callOf(2, '', { arguments: given }), session, traceparent)).text()
  const written = readFileSync(spans, 'utf8')
  expect(written).not.toContain('secret')
  const call = { name: 'tools/call execute_command', kind: 1, parent: { traceId, spanId } }
  expect(
    written
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line)),
  ).toMatchObject([
    { ...call, attributes: { 'vitrine.mode': 'read', 'vitrine.outcome': 'exited', 'process.exit.code': 3 } },
    { ...call, attributes: { 'error.type': 'INVALID_REQUEST' }, status: { code: 2 } },
  ])
})

it('without @opentelemetry/api it says what is missing, and serves', async () => {
  const alone = makeDirectory()
  cpSync(join(readable, 'dist'), join(alone, 'dist'), { recursive: true })
  cpSync(join(readable, 'package.json'), join(alone, 'package.json'))
  const home = new Home()
  const { said } = await serveFrom(alone, home, { OTEL_SERVICE_NAME: 'x' })
  expect(said()).toContain('install @opentelemetry/api beside vitrine')
})
