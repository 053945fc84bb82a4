import { readdirSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { type PendingQuestion, RunningCall } from '../../src/mcp/approvals.ts'
import { Home } from '../cli/vitrine.ts'
import { waitFor } from '../helpers/processes.ts'

const _meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 't', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': { elicitation: {} },
}

/** A server that asks, and a client of MCP 2026-07-28 that writes its messages by hand. */
function serve() {
  const home = new Home()
  const args = ['mcp', '--mode', 'write', '--approve', 'elicit', '--cwd', home.directory]
  const server = home.start(args, { stdio: ['pipe', 'pipe', 'ignore'] })
  let said = ''
  server.stdout?.setEncoding('utf8').on('data', (text: string) => {
    said += text
  })
  const answers = () =>
    said
      .split('\n')
      .filter((line) => line.endsWith('}'))
      .map((line) => JSON.parse(line))
  let last = 0
  const call = async (command: string, more: object = {}) => {
    const id = ++last
    const params = { name: 'execute_command', arguments: { command }, _meta, ...more }
    server.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params })}\n`)
    expect(await waitFor(() => answers().some((answer) => answer.id === id))).toBe(true)
    return answers().find((answer) => answer.id === id).result
  }
  const made = () => readdirSync(home.directory).filter((name) => !name.startsWith('.'))
  return { call, made, end: () => server.stdin?.end() }
}

const saying = (answer: string, requestState: string) => ({
  requestState,
  inputResponses: { approval: { action: 'accept', content: { answer } } },
})

describe('an answer of the user', () => {
  it('counts once: the same one does not run the command again', async () => {
    const { call, made, end } = serve()
    const { requestState } = await call('mkdir a')
    const yes = saying('y', requestState)
    expect((await call('mkdir a', yes)).isError).toBeUndefined()
    const again = await Promise.all([call('mkdir a', yes), call('mkdir a b', yes)])
    for (const { isError, content } of again)
      expect({ isError, text: content[0].text }).toEqual({
        isError: true,
        text: expect.stringContaining('This answer of the user has been used'),
      })
    expect(made()).toEqual(['a'])
    end()
  })

  it('is asked for again where the answer is missing, and then counts', async () => {
    const { call, made, end } = serve()
    const { requestState } = await call('mkdir a')
    const asked = await call('mkdir a', { requestState })
    expect(asked.resultType).toBe('input_required')
    await call('mkdir a', saying('y', asked.requestState))
    expect(made()).toEqual(['a'])
    end()
  })

  it.each(['x', 'Y', 'yes', '__proto__', ''])('%j was not offered, and is no', async (letter) => {
    const { call, made, end } = serve()
    const { requestState } = await call('mkdir a')
    const { isError, content } = await call('mkdir a', saying(letter, requestState))
    expect({ isError, text: content[0].text }).toEqual({
      isError: true,
      text: expect.stringContaining('NOT_APPROVED: The user said no.'),
    })
    expect(made()).toEqual([])
    end()
  })
})

const context = {} as Parameters<RunningCall<string>['continue']>[0]
const question = (name: string) => ({ name }) as unknown as PendingQuestion

it('a question that ended without an answer gives way to the next one, and then to the result', async () => {
  const steps: (() => void)[] = []
  const step = () => new Promise<void>((resolve) => steps.push(resolve))
  const call: RunningCall<string> = new RunningCall(
    async () => {
      await step()
      call.ask(question('first')).catch(() => {})
      await step() // the time limit of the first question
      const answer = await call.ask(question('second'))
      return `second: ${answer}`
    },
    () => {},
  )
  steps.shift()?.()
  expect(await call.end()).toMatchObject({
    kind: 'asks',
    question: { name: 'first' },
    running: { number: 1 },
  })
  steps.shift()?.()
  await expect.poll(async () => call.end()).toMatchObject({ question: { name: 'second' } })
  const late = await call.continue(context, 1, 'yes')
  expect(late).toMatchObject({ kind: 'asks', question: { name: 'second' }, running: { number: 2 } })
  const over = await call.continue(context, 2, 'yes')
  expect(over).toMatchObject({ kind: 'over', outcome: { status: 'fulfilled', value: 'second: yes' } })
  expect(await call.end()).toMatchObject({ kind: 'over' })
})

it('nothing follows a request that comes after the end: it only fetches the result', async () => {
  let followed = 0
  const call: RunningCall<string> = new RunningCall(
    async () => {
      await Promise.resolve()
      call.ask(question('first')).catch(() => {})
      return 'timed out'
    },
    () => followed++,
  )
  await expect.poll(() => call.continue(context, 1, 'yes')).toMatchObject({ kind: 'over' })
  const before = followed
  expect(await call.continue(context, 1, 'yes')).toMatchObject({ outcome: { value: 'timed out' } })
  expect(followed).toBe(before)
})
