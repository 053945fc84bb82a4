import { once } from 'node:events'
import { describe, expect, it } from 'vitest'
import { Home } from '../cli/vitrine.ts'
import { waitFor } from '../helpers/processes.ts'

const limit = 10 * 1024 * 1024

/** A server on pipes, spoken to by hand. */
async function serve() {
  const home = new Home()
  const server = home.start(['mcp'], { stdio: ['pipe', 'pipe', 'pipe'] })
  const said = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const)
    server[name]?.setEncoding('utf8').on('data', (text: string) => {
      said[name] += text
    })
  const clientInfo = { name: 't', version: '1' }
  const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo }
  const say = (text: string) => server.stdin?.write(`${text}\n`)
  say(JSON.stringify({ jsonrpc: '2.0', id: 'begin', method: 'initialize', params }))
  const answers = () =>
    said.stdout
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line))
  const answerTo = async (id: unknown) => {
    expect(await waitFor(() => answers().some((answer) => answer.id === id))).toBe(true)
    return answers().find((answer) => answer.id === id)
  }
  await answerTo('begin')
  return { server, say, said, answers, answerTo, exited: once(server, 'exit') }
}

const call = (command: string) => ({
  method: 'tools/call',
  params: { name: 'execute_command', arguments: { command } },
})

describe('a message over 10 MiB on stdio', () => {
  it('ends the server, with the reason', async () => {
    const { say, said, exited } = await serve()
    say(JSON.stringify({ jsonrpc: '2.0', id: 7, ...call(`true ${'x'.repeat(limit)}`) }))
    expect(await exited).toEqual([0, null])
    expect(said.stderr).toContain(String(limit))
  })
})

it('what is no message on stdio is skipped with a line each, and the server goes on', async () => {
  const { server, say, said, answers, answerTo, exited } = await serve()
  const ping = { jsonrpc: '2.0', method: 'ping' }
  for (const line of ['{nope', '', ' \r', '5', '[]', JSON.stringify({ ...ping, id: 7, params: [1] })])
    say(line)
  say(JSON.stringify({ ...ping, id: 'last' }))
  await answerTo('last')
  expect(answers().map(({ id }) => id)).toEqual(['begin', 'last'])
  server.stdin?.end()
  expect(await exited).toEqual([0, null])
  // What is no JSON is skipped without a word.
  expect(said.stderr).toBe('vitrine: skipped what is no message of JSON-RPC 2.0\n'.repeat(3))
})
