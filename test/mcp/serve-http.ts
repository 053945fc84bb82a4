import { once } from 'node:events'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { expect, onTestFinished } from 'vitest'
import { Home } from '../cli/vitrine.ts'
import { waitFor } from '../helpers/processes.ts'
import { type ConnectOptions, caller, type Era, makeClient } from './connect.ts'

/** Starts `vitrine mcp --http 0` and reads where it listens. */
export async function serve(
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
  home = new Home(),
) {
  const http = args.includes('--http') ? [] : ['--http', '0']
  const server = home.start(['mcp', ...http, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  onTestFinished(() => void server.kill('SIGKILL'))
  let [said, lines] = ['', '']
  server.stdout?.on('data', (chunk) => {
    lines += String(chunk)
  })
  server.stderr?.on('data', (chunk) => {
    said += String(chunk)
  })
  expect(await waitFor(() => /listening on/.test(said))).toBe(true)
  const url = /http:\/\/\S+/.exec(said)?.[0] ?? ''
  const token = env['VITRINE_TOKEN'] ?? env['VITRINE_HTTP_TOKENS'] ?? (await printedToken(() => said))
  return {
    home,
    server,
    url,
    token,
    said: () => said,
    reported: () => eventsIn(lines),
    exited: once(server, 'exit'),
  }
}

function eventsIn(lines: string): Readonly<Record<string, unknown>>[] {
  return lines
    .split('\n')
    .filter((line) => line.endsWith('}'))
    .map((line) => JSON.parse(line))
}

async function printedToken(said: () => string): Promise<string> {
  await waitFor(() => /Bearer \S+"/.test(said()))
  return /Bearer ([^"]+)"/.exec(said())?.[1] ?? ''
}

export async function client(era: Era, url: string, token: string, elicit?: ConnectOptions['elicit']) {
  const connected = makeClient(era, elicit)
  const headers = { Authorization: `Bearer ${token}` }
  await connected.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }))
  return { client: connected, run: caller(connected, 'execute_command') }
}

export const json = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
