import { request } from 'node:http'
import { afterEach, describe, expect, it, onTestFinished } from 'vitest'
import { Turns } from '../../src/base/turns.ts'
import { serveOnHttp } from '../../src/mcp/http/server.ts'
import { HttpSessions, maxSessions } from '../../src/mcp/http/sessions.ts'
import { makeServer } from '../../src/mcp/server.ts'
import { McpSession } from '../../src/mcp/session.ts'
import { makeDirectory } from '../helpers/place.ts'
import { aliveWith, endAll, makeMarker, waitFor } from '../helpers/processes.ts'

const servers: Awaited<ReturnType<typeof serveOnHttp>>[] = []
const markers: string[] = []

afterEach(async () => {
  for (const server of servers.splice(0)) await server.close()
  for (const marker of markers.splice(0)) await endAll(marker)
})

/** A command that can be found among the processes of this machine. */
function sleeping(): { readonly marker: string; readonly command: string } {
  const marker = makeMarker()
  markers.push(marker)
  return { marker, command: `sleep ${marker}` }
}

async function serve(brokenGraceMs?: number): Promise<string> {
  const cwd = makeDirectory()
  const options = {
    version: '0',
    mode: 'read',
    approve: 'client',
    structured: false,
    earlierSessions: false,
    cwd,
    log: () => {},
  } as const
  const server = await serveOnHttp({
    host: '127.0.0.1',
    port: 0,
    token: 'token',
    drainMs: 0,
    brokenGraceMs,
    log: () => {},
    makeSession: () => new McpSession(options),
  })
  servers.push(server)
  return server.url
}

const headers = {
  authorization: 'Bearer token',
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
}

function message(method: string, params: object): string {
  return JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
}

async function post(url: string, session: string, method: string, params: object = {}): Promise<Response> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { ...headers, ...(session && { 'mcp-session-id': session }) },
    body: message(method, params),
  })
  await response.text()
  return response
}

/** Connects a client of MCP 2025-11-25, which has a session. */
async function begin(url: string): Promise<string> {
  const params = {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'test', version: '1' },
  }
  const response = await post(url, '', 'initialize', params)
  expect(response.status).toBe(200)
  return response.headers.get('mcp-session-id') ?? ''
}

/** Calls `execute_command` on a connection that can be broken. */
function call(url: string, session: string, command: string) {
  const sent = request(url, { method: 'POST', headers: { ...headers, 'mcp-session-id': session } })
  sent.on('error', () => {})
  sent.end(
    message('tools/call', {
      name: 'execute_command',
      arguments: { command, timeout_ms: 120_000 },
    }),
  )
  return sent
}

describe('many clients that never end their session', () => {
  it('the longest idle session makes room for the next client; one that runs a command stays', async () => {
    const url = await serve()
    const [working, used, idle] = [await begin(url), await begin(url), await begin(url)]
    const { marker, command } = sleeping()
    call(url, working, command)
    expect(await waitFor(() => aliveWith(marker).length > 0)).toBe(true)
    for (let count = 3; count < maxSessions; count++) await begin(url)
    expect((await post(url, used, 'tools/list')).status).toBe(200)
    await begin(url)
    expect((await post(url, idle, 'tools/list')).status).toBe(404)
    expect((await post(url, used, 'tools/list')).status).toBe(200)
    expect((await post(url, working, 'tools/list')).status).toBe(200)
    expect(aliveWith(marker).length).toBeGreaterThan(0)
  }, 120_000)
})

describe('a connection that breaks in the middle of a call', () => {
  it('ends its command after a grace, and the session goes on', async () => {
    const url = await serve(1000)
    const session = await begin(url)
    const { marker, command } = sleeping()
    const calling = call(url, session, command)
    expect(await waitFor(() => aliveWith(marker).length > 0)).toBe(true)
    const broken = performance.now()
    calling.destroy()
    expect(await waitFor(() => aliveWith(marker).length === 0)).toBe(true)
    expect(performance.now() - broken).toBeGreaterThanOrEqual(900)
    expect((await post(url, session, 'tools/list')).status).toBe(200)
  })
})

describe('busy sessions', async () => {
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
  const clientInfo = { name: 'test', version: '1' }
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo }
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params })

  /** As many sessions as there may be, in the order in which they began. */
  async function openAll() {
    const made: McpSession[] = []
    const options = { version: '0', approve: 'client', structured: false, earlierSessions: false } as const
    const cwd = makeDirectory()
    const sessions = new HttpSessions({
      idleMs: 600_000,
      makeSession: () => {
        const session = new McpSession({ ...options, modes: ['read'], cwd, log: () => {} })
        made.push(session)
        return session
      },
      makeServer: (session) => makeServer({ session, turns: new Turns(1), hasSession: true }),
    })
    onTestFinished(() => sessions.close())
    const begin = async () =>
      (await sessions.handle(new Request('http://localhost/mcp', { method: 'POST', headers, body }))).status
    for (let at = 0; at < maxSessions; at++) expect(await begin()).toBe(200)
    return { sessions, made, begin }
  }

  it('where every session runs a command there is no place for another', async () => {
    const { sessions, made, begin } = await openAll()
    let end = () => {}
    const ended = new Promise<void>((resolve) => {
      end = resolve
    })
    const running = made.map((session) => session.busy(() => ended))
    expect(await begin()).toBe(503)
    expect(sessions.count).toBe(maxSessions)
    end()
    await Promise.all(running)
  })
})
