import { once } from 'node:events'
import { describe, expect, it } from 'vitest'
import { Home } from '../cli/vitrine.ts'

/** mulberry32: the same numbers from the same seed, everywhere. */
function random(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

const methods = [
  'tools/call',
  'tools/list',
  'initialize',
  'resources/read',
  'resources/list',
  'ping',
  'server/discover',
  'notifications/cancelled',
  'notifications/progress',
  'subscriptions/listen',
  'completion/complete',
  'nothing/such',
]
const names = ['execute_command', 'read_scratchpad', 'list_scratchpad', 'toString', '__proto__', '']

/** Messages that are nearly right, and bytes that are nothing. */
function messages(seed: number, count: number): string[] {
  const next = random(seed)
  const pick = <T>(items: readonly T[]): T => items[Math.floor(next() * items.length)] as T
  const value = (depth: number): unknown => {
    const simple = [null, true, -1, 1e308, '', 'x', '../..', '\u0000', '\ud800', 'a'.repeat(5000)]
    if (depth === 0 || next() < 0.5) return pick(simple)
    if (next() < 0.3) return [value(depth - 1), value(depth - 1)]
    const keys = [
      'command',
      'name',
      'arguments',
      '_meta',
      'progressToken',
      'timeout_ms',
      'uri',
      '__proto__',
      'grep',
    ]
    return Object.fromEntries([pick(keys), pick(keys)].map((key) => [key, value(depth - 1)]))
  }
  const params = () => {
    if (next() < 0.4) return value(3)
    return { name: pick(names), arguments: value(2), uri: value(0), _meta: value(2), requestId: value(0) }
  }
  const message = () => ({
    jsonrpc: pick(['2.0', '2.0', '2.0', '1.0', 2]),
    ...(next() < 0.8 && { id: pick([next(), 'x', null, {}, -1]) }),
    ...(next() < 0.9 && { method: pick([...methods, 7]) }),
    ...(next() < 0.8 && { params: params() }),
    ...(next() < 0.1 && { result: value(2) }),
  })
  return Array.from({ length: count }, () => {
    const text = JSON.stringify(next() < 0.1 ? [message(), message()] : message())
    const kind = next()
    if (kind < 0.75) return text
    if (kind < 0.85) return text.slice(0, Math.floor(next() * text.length))
    if (kind < 0.95) return text.replaceAll(/[{}"]/g, () => pick(['{', '"', '\u00ff', ' ']))
    return String.fromCharCode(...Array.from({ length: 50 }, () => Math.floor(next() * 256)))
  })
}

const clientInfo = { name: 't', version: '1' }
const legacy = {
  id: 'hello',
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo },
}
const envelope = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': clientInfo,
  'io.modelcontextprotocol/clientCapabilities': {},
}
const modern = { id: 'hello', method: 'server/discover', params: { _meta: envelope } }

describe.each([
  ['a handshake of 2025', legacy, {}],
  ['a discovery of 2026', modern, { _meta: envelope }],
])('3000 broken messages after %s', (_what, hello, meta) => {
  it('do not end the server, and the next call is answered', async () => {
    const server = new Home().start(['mcp'], { stdio: ['pipe', 'pipe', 'pipe'] })
    let said = ''
    server.stderr?.resume()
    server.stdout?.on('data', (chunk) => {
      said += String(chunk)
    })
    const say = (line: string) => server.stdin?.write(`${line}\n`)
    say(JSON.stringify({ jsonrpc: '2.0', ...hello }))
    for (const line of messages(20_261_121, 3000)) say(line)
    const call = { name: 'execute_command', arguments: { command: 'echo still here' }, ...meta }
    say(JSON.stringify({ jsonrpc: '2.0', id: 'last', method: 'tools/call', params: call }))
    const answer = /"still here\\n"/
    const exited = once(server, 'exit')
    const until = Date.now() + 30_000
    while (!answer.test(said) && server.exitCode === null && Date.now() < until)
      await new Promise((resolve) => setTimeout(resolve, 20))
    expect(said).toMatch(answer)
    // stdout carries the protocol and nothing else.
    for (const line of said.trim().split('\n')) expect(JSON.parse(line)).toMatchObject({ jsonrpc: '2.0' })
    server.stdin?.end()
    expect(await exited).toEqual([0, null])
  })
})
