import { InMemoryTransport } from '@modelcontextprotocol/client'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { describe, expect, test } from 'vitest'
import { Approvals } from '../../src/approval/approve.ts'
import { type Decision, type ExecuteRequest, type Result, type Shell, VitrineError } from '../../src/index.ts'
import { makeServer } from '../../src/mcp/server.ts'
import { type OpenShell, Session } from '../../src/mcp/session.ts'
import { Turns } from '../../src/mcp/turns.ts'
import { openTestShell } from '../helpers/place.ts'
import { type ConnectOptions, caller, eras, makeClient } from './connect.ts'

const ask: Decision = { verdict: 'ask', reason: 'rm removes files', matches: [] }

/** A shell that asks about every command with `rm` in it, as the policy would. */
async function askingShell(): Promise<{ open: OpenShell; ran: string[] }> {
  const shell = await openTestShell({ mode: 'write' })
  const ran: string[] = []
  const open: OpenShell = async ({ approver }) => {
    const approvals = approver && new Approvals(approver)
    const execute: Shell['execute'] = async (request: ExecuteRequest, options): Promise<Result> => {
      const command = request.command ?? ''
      const asked = { command, cwd: shell.cwd, mode: 'write', signal: new AbortController().signal } as const
      if (command.includes('rm') && approvals && !(await approvals.approves(asked, ask)))
        throw Object.assign(new VitrineError({ code: 'WRITE_MODE_REQUIRED' }), { code: 'NOT_APPROVED' })
      ran.push(command)
      return shell.execute({ ...request, command: 'echo ran' }, options)
    }
    return { execute, close: () => shell.close(), config: shell.config, scratchpad: shell.scratchpad }
  }
  return { open, ran }
}

interface Setup extends Pick<ConnectOptions, 'era' | 'elicit'> {
  readonly approve: 'client' | 'elicit' | 'none'
  readonly hasSession?: boolean
}

async function connected({ approve, era = 'legacy', elicit, hasSession = true }: Setup) {
  const { open, ran } = await askingShell()
  const options = { version: '0', mode: 'write', approve, structured: false, log: () => {} } as const
  const session = new Session(options, open)
  const [ours, theirs] = InMemoryTransport.createLinkedPair()
  serveStdio(() => makeServer({ session, turns: new Turns(4), hasSession }), { transport: ours })
  const client = makeClient(era, elicit)
  await client.connect(theirs)
  return { run: caller(client, 'execute_command'), ran }
}

function answering(...answers: string[]) {
  const questions: string[] = []
  const elicit = (message: string) => {
    questions.push(message)
    return { action: 'accept' as const, content: { answer: answers.shift() ?? 'n' } }
  }
  return { questions, elicit }
}

describe.each(eras)('--approve elicit, a client of the %s era', (era) => {
  test('y runs the command once, and the next is asked about again', async () => {
    const { questions, elicit } = answering('y', 'n')
    const { run, ran } = await connected({ approve: 'elicit', era, elicit })
    expect((await run({ command: 'rm a' })).text).toBe('ran\n')
    expect(await run({ command: 'rm a' })).toMatchObject({ isError: true })
    expect(ran).toEqual(['rm a'])
    expect(questions).toHaveLength(2)
    expect(questions[0]).toMatch(
      /^Run this in write mode\?\n {2}rm a\nin \S+\nasked because: rm removes files$/,
    )
  })

  test('n runs nothing, and the model is told not to try another way', async () => {
    const { elicit } = answering('n')
    const { run, ran } = await connected({ approve: 'elicit', era, elicit })
    const answer = await run({ command: 'rm a' })
    expect(answer).toMatchObject({ isError: true })
    expect(answer.text).toMatch(/^NOT_APPROVED: The user said no\. Nothing ran\./)
    expect(ran).toEqual([])
  })

  test('a holds for every command of the session, s for this one', async () => {
    const all = answering('a')
    const first = await connected({ approve: 'elicit', era, elicit: all.elicit })
    for (const command of ['rm a', 'rm a', 'rm b']) await first.run({ command })
    expect(first.ran).toEqual(['rm a', 'rm a', 'rm b'])
    expect(all.questions).toHaveLength(1)
    const same = answering('s', 'n')
    const second = await connected({ approve: 'elicit', era, elicit: same.elicit })
    for (const command of ['rm a', 'rm a', 'rm b']) await second.run({ command })
    expect(second.ran).toEqual(['rm a', 'rm a'])
    expect(same.questions).toHaveLength(2)
  })

  test('declining, cancelling and nonsense are no', async () => {
    for (const response of [
      { action: 'decline' as const },
      { action: 'cancel' as const },
      { action: 'accept' as const, content: { answer: 'maybe' } },
      { action: 'accept' as const, content: {} },
    ]) {
      const { run, ran } = await connected({ approve: 'elicit', era, elicit: () => response })
      expect(await run({ command: 'rm a' })).toMatchObject({ isError: true })
      expect(ran).toEqual([])
    }
  })

  test('a client that cannot ask gets a denial that says so', async () => {
    const { run, ran } = await connected({ approve: 'elicit', era })
    const answer = await run({ command: 'rm a' })
    expect(answer).toMatchObject({ isError: true })
    expect(answer.text).toMatch(/^NOT_APPROVED: .*rm removes files.*no elicitation.*Nothing ran/)
    expect(ran).toEqual([])
    expect((await run({ command: 'ls' })).text).toBe('ran\n')
  })

  test('what need not be asked about is not', async () => {
    const { questions, elicit } = answering()
    const { run } = await connected({ approve: 'elicit', era, elicit })
    expect((await run({ command: 'ls' })).text).toBe('ran\n')
    expect(questions).toEqual([])
  })

  test('two questions at once each get their own answer', async () => {
    const elicit = (message: string) => ({
      action: 'accept' as const,
      content: { answer: message.includes('rm yes') ? 'y' : 'n' },
    })
    const { run, ran } = await connected({ approve: 'elicit', era, elicit })
    const answers = await Promise.all([run({ command: 'rm yes' }), run({ command: 'rm no' })])
    expect(answers.map(({ isError }) => isError)).toEqual([false, true])
    expect(ran).toEqual(['rm yes'])
  })

  test('without a session an answer cannot hold for one', async () => {
    const { questions, elicit } = answering('a', 'y', 'n')
    const { run, ran } = await connected({ approve: 'elicit', era, elicit, hasSession: false })
    for (const command of ['rm a', 'rm b', 'rm c']) await run({ command })
    expect(ran).toEqual(['rm b'])
    expect(questions).toHaveLength(3)
  })
})

describe('other approvals', () => {
  test('--approve client: the client has asked, so it runs', async () => {
    const { run } = await connected({ approve: 'client' })
    expect((await run({ command: 'rm a' })).text).toBe('ran\n')
  })

  test('--approve none: there is no approver, so the policy alone decides', async () => {
    const { run } = await connected({ approve: 'none' })
    expect((await run({ command: 'rm a' })).text).toBe('ran\n')
  })
})
