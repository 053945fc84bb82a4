import { once } from 'node:events'
import { setTimeout } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { Home } from '../cli/vitrine.ts'
import { waitFor } from '../helpers/processes.ts'

const limit = 10 * 1024 * 1024

/** A server on pipes, spoken to by hand. */
async function serve() {
  const home = new Home()
  const server = home.start(['mcp'], { stdio: ['pipe', 'pipe', 'ignore'] })
  let said = ''
  server.stdout?.setEncoding('utf8').on('data', (text: string) => {
    said += text
  })
  const clientInfo = { name: 't', version: '1' }
  const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo }
  const say = (text: string) => server.stdin?.write(`${text}\n`)
  say(JSON.stringify({ jsonrpc: '2.0', id: 'begin', method: 'initialize', params }))
  const answers = () =>
    said
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line))
  const answerTo = async (id: unknown) => {
    expect(await waitFor(() => answers().some((answer) => answer.id === id))).toBe(true)
    return answers().find((answer) => answer.id === id)
  }
  await answerTo('begin')
  return { server, say, answers, answerTo, exited: once(server, 'exit') }
}

const call = (command: string) => ({
  method: 'tools/call',
  params: { name: 'execute_command', arguments: { command } },
})

const long = `true ${'x'.repeat(limit)}`

describe('a message over 10 MiB on stdio', () => {
  it.each([
    ['the id comes last, as the TypeScript SDK writes it', { ...call(long), jsonrpc: '2.0', id: 7 }, 7],
    ['the id comes first, as the Python SDK writes it', { jsonrpc: '2.0', id: 7, ...call(long) }, 7],
    ['the id is text', { jsonrpc: '2.0', id: 'a"b', ...call(long) }, 'a"b'],
    ['an id of an argument is not taken for it', { params: { x: long, id: 5 }, jsonrpc: '2.0' }, null],
    ['it is no message', long, null],
  ])('%s: it is answered with an error, and the server goes on', async (_what, message, id) => {
    const { server, say, answerTo, exited } = await serve()
    say(JSON.stringify(message))
    expect(await answerTo(id)).toMatchObject({ jsonrpc: '2.0', error: { code: -32_600 } })
    say(JSON.stringify({ jsonrpc: '2.0', id: 'next', ...call('echo next') }))
    expect((await answerTo('next')).result.content).toEqual([{ type: 'text', text: 'next\n' }])
    server.stdin?.end()
    expect(await exited).toEqual([0, null])
  })

  it('a message just below the limit is read', async () => {
    const { server, say, answerTo, exited } = await serve()
    const empty = JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'ping', params: { _meta: { x: '' } } })
    const x = 'x'.repeat(limit - Buffer.byteLength(empty) - 1)
    say(JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'ping', params: { _meta: { x } } }))
    expect(await answerTo(7)).toMatchObject({ result: {} })
    server.stdin?.end()
    expect(await exited).toEqual([0, null])
  })
})

const ping = { jsonrpc: '2.0', method: 'ping' }
const parse = -32_700
const invalid = -32_600

describe('what is no message on stdio is answered, and the server goes on', () => {
  it.each([
    ['no JSON', '{nope', null, parse],
    ['a byte order mark', `\ufeff${JSON.stringify({ ...ping, id: 7 })}`, null, parse],
    ['a number', '5', null, invalid],
    ['an empty batch', '[]', null, invalid],
    ['a request with parameters in a list', { ...ping, id: 7, params: [1] }, 7, invalid],
    ['a request with parameters that are text', { ...ping, id: 'a', params: 'x' }, 'a', invalid],
    [
      'a progress token that is none',
      { ...ping, id: 7, params: { _meta: { progressToken: {} } } },
      7,
      invalid,
    ],
    ['another version of JSON-RPC', { id: 7, jsonrpc: '1.0', method: 'ping' }, 7, invalid],
    ['an id that is null', { ...ping, id: null }, null, invalid],
    ['a request without a method', { jsonrpc: '2.0', params: {} }, null, invalid],
    ['a batch with a number', [5], null, invalid],
  ])('%s', async (_what, message, id, code) => {
    const { server, say, answerTo, exited } = await serve()
    say(typeof message === 'string' ? message : JSON.stringify(message))
    expect(await answerTo(id)).toMatchObject({ jsonrpc: '2.0', error: { code } })
    say(JSON.stringify({ ...ping, id: 'next' }))
    expect(await answerTo('next')).toMatchObject({ result: {} })
    server.stdin?.end()
    expect(await exited).toEqual([0, null])
  })

  it('blank lines, wrong notifications and wrong answers get no answer', async () => {
    const { server, say, answers, answerTo, exited } = await serve()
    const wrong = [
      { ...ping, params: 5 },
      { jsonrpc: '2.0', id: 1 },
      { jsonrpc: '2.0', id: 1, error: 5 },
    ]
    for (const line of ['', ' \r', ...wrong.map((message) => JSON.stringify(message))]) say(line)
    say(JSON.stringify({ ...ping, id: 'last' }))
    await answerTo('last')
    expect(answers().map(({ id }) => id)).toEqual(['begin', 'last'])
    server.stdin?.end()
    expect(await exited).toEqual([0, null])
  })

  it('a batch of MCP 2025-03-26: each of its requests is answered', async () => {
    const { server, say, answerTo, exited } = await serve()
    const { method, params } = call('echo hi')
    say(
      JSON.stringify([
        { ...ping, id: 1 },
        { jsonrpc: '2.0', id: 2, method, params },
        { jsonrpc: '1.0', id: 3 },
        5,
      ]),
    )
    expect(await answerTo(1)).toMatchObject({ result: {} })
    expect((await answerTo(2)).result.content).toEqual([{ type: 'text', text: 'hi\n' }])
    server.stdin?.end()
    expect(await exited).toEqual([0, null])
  })
})

it('a client that reads slowly gets every answer, and no warning of Node is printed', async () => {
  const home = new Home()
  const server = home.start(['mcp'], { stdio: ['pipe', 'pipe', 'pipe'] })
  let warned = ''
  server.stderr?.setEncoding('utf8').on('data', (text: string) => {
    warned += text
  })
  const clientInfo = { name: 't', version: '1' }
  const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo }
  const requests = [
    { method: 'initialize', params },
    ...Array.from({ length: 60 }, () => call('seq 6000 | tee /dev/stderr')),
  ]
  const lines = requests.map((request, id) => JSON.stringify({ jsonrpc: '2.0', id, ...request }))
  server.stdin?.end(`${lines.join('\n')}\n`)
  await setTimeout(2000)
  let said = ''
  server.stdout?.setEncoding('utf8').on('data', (text: string) => {
    said += text
  })
  expect(await once(server, 'close')).toEqual([0, null])
  expect(said.split('\n').filter((line) => line.includes('"result"'))).toHaveLength(requests.length)
  expect(warned).toBe('')
})
