import { describe, expect, it } from 'vitest'
import { Call } from '../../src/mcp/call.ts'
import { Home } from '../cli/vitrine.ts'
import { callOf, madeIn, speakTo } from './connect.ts'

const _meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 't', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': { elicitation: {} },
}

/** A server that asks, and a client of MCP 2026-07-28 that writes its messages by hand. */
function serve() {
  const home = new Home()
  const args = ['--mode', 'write', '--approve', 'elicit', '--cwd', home.directory]
  const { server, say, answerTo } = speakTo(args, home)
  let last = 0
  const call = async (command: string, more: object = {}) => {
    say(callOf(++last, command, { _meta, ...more }))
    return (await answerTo(last)).result
  }
  return { call, made: () => madeIn(home.directory), end: () => server.stdin?.end() }
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
})

type Made = ConstructorParameters<typeof Call>
type Question = Parameters<Call['ask']>[0]

const context = { mcpReq: { signal: new AbortController().signal } } as Made[0]
const question = (again: string) => ({ request: { again } }) as unknown as Question
const options = { given: [], canAsk: true, graceMs: 0, ahead: () => 0 }
const answered = (text: string) => ({ content: [{ type: 'text' as const, text }] })

it('a question that ended without an answer gives way to the next one, and then to the result', async () => {
  const steps: (() => void)[] = []
  const step = () => new Promise<void>((resolve) => steps.push(resolve))
  const call = new Call(context, {
    ...options,
    work: async (call) => {
      await step()
      call.ask(question('first')).catch(() => {})
      await step() // the time limit of the first question
      return answered(await call.ask(question('second')))
    },
  })
  const asks = (again: string, number: number) => ({ question: { request: { again }, running: { number } } })
  steps.shift()?.()
  expect(await call.end()).toMatchObject(asks('first', 1))
  steps.shift()?.()
  await expect.poll(async () => call.end()).toMatchObject(asks('second', 2))
  expect(await call.continue(context, 1, 'yes')).toMatchObject(asks('second', 2))
  const over = { outcome: { status: 'fulfilled', value: answered('yes') } }
  expect(await call.continue(context, 2, 'yes')).toMatchObject(over)
  expect(await call.end()).toMatchObject(over)
})
