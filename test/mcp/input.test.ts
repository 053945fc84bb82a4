import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { openSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import { Home, program } from '../cli/vitrine.ts'
import { survivors } from '../helpers/processes.ts'
import { isInstalled } from '../helpers/programs.ts'
import { terminalProgram } from '../helpers/terminal.ts'
import { callOf, initialize, marked, speakTo } from './connect.ts'

describe('the end of the input', () => {
  const lines = (...messages: readonly object[]) =>
    messages.map((message) => JSON.stringify(message)).join('\n')

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
      const list = { jsonrpc: '2.0', id: 2, method: 'tools/list' }
      const given = lines(initialize, list, callOf(3, 'sleep 0.5; echo 3'), callOf(4, 'echo 4'))
      const { answers, exited } = await answersTo(given, { asFile })
      expect(answers.get('begin')).toHaveProperty('result')
      expect(answers.get(2).result.tools.length).toBeGreaterThan(0)
      expect(answers.get(3).result.content).toEqual([{ type: 'text', text: '3\n' }])
      expect(answers.get(4).result.content).toEqual([{ type: 'text', text: '4\n' }])
      expect(exited).toEqual([0, null])
    })

    it.each(['read', 'write'])('%s mode: a command without an end is ended, and answered', async (mode) => {
      const marker = marked()
      const command = `sleep ${marker} & setsid sleep ${marker} & echo begun; sleep ${marker}`
      const { answers, exited } = await answersTo(lines(initialize, callOf(2, command)), { mode })
      expect(answers.get(2).result.content).toEqual([{ type: 'text', text: 'begun\n[cancelled]' }])
      expect(exited).toEqual([0, null])
      expect(await survivors(marker, 0)).toEqual([])
    })
  })
})

it('a message over 10 MiB on stdio ends the server, with the reason', async () => {
  const limit = 10 * 1024 * 1024
  const { say, said, exited } = speakTo([])
  say(callOf(7, `true ${'x'.repeat(limit)}`))
  expect(await exited).toEqual([0, null])
  expect(said.stderr).toContain(String(limit))
})

it('what is no message on stdio is skipped with a line each, and the server goes on', async () => {
  const { server, say, said, answers, answerTo, exited } = speakTo([])
  const ping = { jsonrpc: '2.0', method: 'ping' }
  say(initialize)
  for (const line of ['{nope', '', ' \r', '5', '[]', { ...ping, id: 7, params: [1] }]) say(line)
  say({ ...ping, id: 'last' })
  await answerTo('last')
  expect(answers().map(({ id }) => id)).toEqual(['begin', 'last'])
  server.stdin?.end()
  expect(await exited).toEqual([0, null])
  // What is no JSON is skipped without a word.
  expect(said.stderr).toBe('vitrine: skipped what is no message of JSON-RPC 2.0\n'.repeat(3))
})

it.runIf(isInstalled('python3'))('at a terminal it says what it is (needs python3)', async () => {
  const argv = [terminalProgram(), process.execPath, program, 'mcp']
  const terminal = spawn('python3', argv, { env: new Home().env, stdio: ['ignore', 'pipe', 'inherit'] })
  const [said] = await once(terminal.stdout, 'data')
  expect(String(said)).toMatch(/^vitrine: this is a server for agents.*vitrine mcp install CLIENT/)
  // Its terminal closes, which ends the server.
  terminal.kill()
  await once(terminal, 'exit')
})
