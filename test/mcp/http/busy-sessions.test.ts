import { expect, it, onTestFinished } from 'vitest'
import { Turns } from '../../../src/base/turns.ts'
import { HttpSessions, maxSessions } from '../../../src/mcp/http/sessions.ts'
import { makeServer } from '../../../src/mcp/server.ts'
import { McpSession } from '../../../src/mcp/session.ts'
import { makeDirectory } from '../../helpers/place.ts'

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
