import { once } from 'node:events'
import { openSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, describe, expect, it } from 'vitest'
import { Home } from '../cli/vitrine.ts'
import { endAll, makeMarker, survivors } from '../helpers/processes.ts'

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
