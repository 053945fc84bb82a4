import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { Client, type ClientOptions, type ElicitResult } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { expect } from 'vitest'
import { Home, program } from '../cli/vitrine.ts'
import { afterFile } from '../helpers/clean-up.ts'
import { endAll, makeMarker, waitFor } from '../helpers/processes.ts'

/** How clients speak: the handshake of 2025, or MCP 2026-07-28 and nothing else. */
export type Era = 'legacy' | 'modern'
export const eras: readonly Era[] = ['legacy', 'modern']

export interface ConnectOptions {
  readonly era?: Era
  readonly home?: Home
  /** The user's configuration. */
  readonly toml?: string
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
  /** What stands before the server's own command line. */
  readonly wrapper?: readonly string[]
  /** Answers questions to the user; without it the client cannot be asked. */
  readonly elicit?: (message: string) => ElicitResult | Promise<ElicitResult>
}

/** A tool's answer, as a model gets it. */
export interface Answer {
  readonly text: string
  readonly isError: boolean
  readonly structured: Readonly<Record<string, unknown>> | undefined
}

function clientOptions(era: Era, elicit?: ConnectOptions['elicit']): ClientOptions {
  return {
    versionNegotiation: { mode: era === 'legacy' ? 'legacy' : { pin: '2026-07-28' } },
    ...(elicit && { capabilities: { elicitation: {} } }),
  }
}

/** A client of the SDK's own, for any transport. */
export function makeClient(era: Era, elicit?: ConnectOptions['elicit']): Client {
  const client = new Client({ name: 'test', version: '1' }, clientOptions(era, elicit))
  if (elicit) client.setRequestHandler('elicitation/create', ({ params }) => elicit(params.message))
  afterFile(() => client.close())
  return client
}

/** Starts `vitrine mcp` and connects to it. The client closes after the file's last test. */
export async function connect(args: readonly string[] = [], options: ConnectOptions = {}) {
  const { era = 'legacy', home = new Home(), toml, env, cwd = home.directory, wrapper = [], elicit } = options
  if (toml !== undefined) home.configure(toml)
  const [serverProgram = '', ...serverArgs] = [...wrapper, process.execPath, program, 'mcp', ...args]
  const transport = new StdioClientTransport({
    command: serverProgram,
    args: serverArgs,
    env: { ...(home.env as Record<string, string>), ...env },
    cwd,
    stderr: 'pipe',
  })
  const said: string[] = []
  transport.stderr?.on('data', (chunk: Buffer) => said.push(String(chunk)))
  const client = makeClient(era, elicit)
  await client.connect(transport)
  return {
    client,
    home,
    transport,
    /** What the server has said on stderr. */
    said: () => said.join(''),
    pid: () => transport.pid ?? 0,
    run: caller(client, 'execute_command'),
    write: caller(client, 'execute_command_write'),
    read: caller(client, 'read_scratchpad'),
    list: () => caller(client, 'read_scratchpad')({}),
  }
}

export const initialize = {
  jsonrpc: '2.0',
  id: 'begin',
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 't', version: '1' } },
}

export function callOf(id: unknown, command: string, more: object = {}) {
  const params = { name: 'execute_command', arguments: { command }, ...more }
  return { jsonrpc: '2.0', id, method: 'tools/call', params }
}

/** A server on pipes, spoken to by hand. */
export function speakTo(args: readonly string[], home = new Home()) {
  const server = home.start(['mcp', ...args], { stdio: ['pipe', 'pipe', 'pipe'] })
  const said = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const)
    server[name]?.setEncoding('utf8').on('data', (text: string) => {
      said[name] += text
    })
  const say = (message: object | string) =>
    server.stdin?.write(`${typeof message === 'string' ? message : JSON.stringify(message)}\n`)
  const answers = () =>
    said.stdout
      .split('\n')
      .filter((line) => line.endsWith('}'))
      .map((line) => JSON.parse(line))
  const answerTo = async (id: unknown) => {
    expect(await waitFor(() => answers().some((answer) => answer.id === id))).toBe(true)
    return answers().find((answer) => answer.id === id)
  }
  return { home, server, say, said, answers, answerTo, exited: once(server, 'close') }
}

/** A user who gives these answers in turn, then no, and the questions asked. */
export function answering(...answers: string[]) {
  const questions: string[] = []
  const elicit = (message: string) => {
    questions.push(message)
    return { action: 'accept' as const, content: { answer: answers.shift() ?? 'n' } }
  }
  return { questions, elicit }
}

/** A marker whose processes end with the file, if not before. */
export function marked(): string {
  const marker = makeMarker()
  afterFile(() => endAll(marker))
  return marker
}

/** What commands have made there. */
export function madeIn(directory: string): readonly string[] {
  return readdirSync(directory).filter((name) => !name.startsWith('.'))
}

/** Calls one tool. */
export function caller(client: Client, name: string) {
  return async (
    input: Readonly<Record<string, unknown>>,
    options?: Parameters<Client['callTool']>[1],
  ): Promise<Answer> => {
    const result = await client.callTool({ name, arguments: { ...input } }, options)
    const [content] = result.content
    return {
      text: content?.type === 'text' ? content.text : '',
      isError: result.isError === true,
      structured: result.structuredContent as Answer['structured'],
    }
  }
}
