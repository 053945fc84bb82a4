import { once } from 'node:events'
import { openSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, describe, expect, it } from 'vitest'
import { Home } from '../cli/vitrine.ts'
import { endAll, makeMarker, survivors, waitFor } from '../helpers/processes.ts'

describe('the end of the input', async () => {
  const markers: string[] = []
  afterAll(async () => {
    for (const marker of markers) await endAll(marker)
  })

  const begin = {
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 't', version: '1' } },
  }
  const call = (id: number, command: string) => ({
    id,
    method: 'tools/call',
    params: { name: 'execute_command', arguments: { command } },
  })
  const lines = (...messages: readonly object[]) =>
    messages.map((message) => JSON.stringify({ jsonrpc: '2.0', ...message })).join('\n')

  /** What the server prints for an input that ends at once, and how it ends. */
  async function answersTo(input: string, { mode = 'read', asFile = false } = {}) {
    const home = new Home()
    const file = join(home.directory, 'requests')
    writeFileSync(file, input)
    const stdin = asFile ? openSync(file, 'r') : 'pipe'
    const server = home.start(['mcp', '--mode', mode], { stdio: [stdin, 'pipe', 'ignore'] })
    const exited = once(server, 'exit')
    server.stdin?.end(input)
    const said = server.stdout ? await text(server.stdout) : ''
    const messages = said
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    return { exited: await exited, answers: new Map(messages.map((message) => [message.id, message])) }
  }

  describe.concurrent('an input that ends after its requests, as that of a script', () => {
    it.each([
      ['a pipe', false],
      ['a file', true],
    ])('%s: all of them are answered, the last without a line end too', async (_what, asFile) => {
      const given = lines(
        begin,
        { id: 2, method: 'tools/list' },
        call(3, 'sleep 0.5; echo 3'),
        call(4, 'echo 4'),
      )
      const { answers, exited } = await answersTo(given, { asFile })
      expect(answers.get(1)).toHaveProperty('result')
      expect(answers.get(2).result.tools.length).toBeGreaterThan(0)
      expect(answers.get(3).result.content).toEqual([{ type: 'text', text: '3\n' }])
      expect(answers.get(4).result.content).toEqual([{ type: 'text', text: '4\n' }])
      expect(exited).toEqual([0, null])
    })

    it.each(['read', 'write'])('%s mode: a command without an end is ended, and answered', async (mode) => {
      const marker = makeMarker()
      markers.push(marker)
      const command = `sleep ${marker} & setsid sleep ${marker} & echo begun; sleep ${marker}`
      const { answers, exited } = await answersTo(lines(begin, call(2, command)), { mode })
      expect(answers.get(2).result.content).toEqual([{ type: 'text', text: 'begun\n[cancelled]' }])
      expect(exited).toEqual([0, null])
      expect(await survivors(marker, 0)).toEqual([])
    })
  })
})

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
