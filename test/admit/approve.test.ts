import { createHash } from 'node:crypto'
import { closeSync, existsSync, openSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { Approvals as AllApprovals, isYes } from '../../src/admit/approvals.ts'
import type { Approval, ApprovalRequest, Approver } from '../../src/admit/approver.ts'
import type { Decision } from '../../src/base/types.ts'
import { makeDirectory, openTestShell } from '../helpers/place.ts'

/** Only whether the command may run. */
class Approvals extends AllApprovals {
  async may(...question: Parameters<AllApprovals['approves']>): Promise<boolean> {
    return isYes(await this.approves(...question))
  }
}

const decision: Decision = { verdict: 'ask', reason: 'a test', matches: [] }

function request(command: string, changed: Partial<ApprovalRequest> = {}): ApprovalRequest {
  const { signal } = new AbortController()
  return { command, cwd: '/', mode: 'write', stdin: { kind: 'none' }, signal, ...changed }
}

/** An approver that answers when it is told to, and remembers what it was asked. */
function manual() {
  const asked: string[] = []
  const answers: ((answer: Approval) => void)[] = []
  const approver: Approver = ({ command }) => {
    asked.push(command)
    return new Promise((resolve) => answers.push(resolve))
  }
  return { approver, asked, answer: (answer: Approval) => answers.shift()?.(answer) }
}

/** An approver that always answers the same, and the requests it got. */
function always(answer: Approval) {
  const asked: ApprovalRequest[] = []
  const approver: Approver = async (request) => {
    asked.push(request)
    return answer
  }
  return { approver, asked }
}

/** Every promise that can settle has settled: nothing here waits for the machine. */
const settled = () => new Promise((resolve) => setImmediate(resolve))

it('yes counts once', async () => {
  const { approver, asked } = always('yes')
  const approvals = new Approvals(approver)
  for (let time = 0; time < 3; time++) await approvals.may(request('x'), decision)
  expect(asked).toHaveLength(3)
  expect(approvals.list()).toEqual([])
})

it.each<[string, Partial<ApprovalRequest> & { command?: string }]>([
  ['another command', { command: 'other' }],
  ['another directory', { cwd: '/tmp' }],
  ['the other mode', { mode: 'read' }],
  [
    'another standard input',
    { stdin: { kind: 'given', bytes: 1, sha256: 'x', beginning: 'x', complete: true } },
  ],
])('"same" does not cover %s', async (_, changed) => {
  const { approver, asked } = always('same')
  const approvals = new Approvals(approver)
  await approvals.may(request('one'), decision)
  await approvals.may(request('one'), decision)
  expect(asked).toHaveLength(1)
  await approvals.may(request(changed.command ?? 'one', changed), decision)
  expect(asked).toHaveLength(2)
})

it('a yes to all in read mode, which holds every command, is none in write mode', async () => {
  const { approver, asked } = always('all')
  const approvals = new Approvals(approver)
  await approvals.may(request('x', { mode: 'read' }), decision)
  await approvals.may(request('y', { mode: 'read' }), decision)
  await approvals.may(request('y'), decision)
  expect(asked.map(({ mode }) => mode)).toEqual(['read', 'write'])
})

it('an approver that fails says no, and the next question is asked', async () => {
  const answers = [Promise.reject(new Error('broken')), Promise.resolve('yes' as const)]
  const approvals = new Approvals(() => answers.shift() ?? Promise.resolve('no'))
  expect(await approvals.may(request('x'), decision)).toBe(false)
  expect(await approvals.may(request('x'), decision)).toBe(true)
})

it('an answer that comes too late is no, whatever it is, and approves of nothing', async () => {
  const { approver, answer } = manual()
  const approvals = new Approvals(approver)
  const late = new AbortController()
  const approved = approvals.may(request('x', { signal: late.signal }), decision)
  await settled()
  late.abort()
  expect(await approved).toBe(false)
  answer('all')
  await settled()
  expect(approvals.list()).toEqual([])
})

/** A shell in write mode, where `touch` is asked about; its directory. */
async function openAsking(approver: Approver) {
  const cwd = makeDirectory()
  const shell = await openTestShell({ cwd, mode: 'write', approver })
  return { shell, made: (name: string) => existsSync(join(cwd, name)) }
}

it('a refused approval is NOT_APPROVED with the decision, and nothing ran', async () => {
  const { shell, made } = await openAsking(async () => 'no')
  await expect(shell.execute({ command: 'touch x' })).rejects.toMatchObject({
    code: 'NOT_APPROVED',
    refusal: { decision: { verdict: 'ask', reason: expect.stringContaining('touch') } },
  })
  expect(made('x')).toBe(false)
})

it('what stands approved is listed, and asked about again once it is taken back', async () => {
  const asked: string[] = []
  const answers: Approval[] = ['same', 'all', 'no', 'no']
  const { shell, made } = await openAsking(async ({ command }) => {
    asked.push(command)
    return answers.shift() ?? 'no'
  })
  await shell.execute({ command: 'touch x' })
  await shell.execute({ command: 'touch y' })
  await shell.execute({ command: 'touch z' })
  expect(asked).toEqual(['touch x', 'touch y'])
  const [same, all] = shell.approvals
  expect(shell.approvals).toEqual([
    { kind: 'same', mode: 'write', command: 'touch x', cwd: shell.cwd, stdin: null },
    { kind: 'all', mode: 'write' },
  ])
  shell.revoke(all)
  expect(shell.approvals).toEqual([same])
  await shell.execute({ command: 'touch x' })
  await expect(shell.execute({ command: 'touch w' })).rejects.toMatchObject({ code: 'NOT_APPROVED' })
  shell.revoke()
  expect(shell.approvals).toEqual([])
  await expect(shell.execute({ command: 'touch x' })).rejects.toMatchObject({ code: 'NOT_APPROVED' })
  expect(made('w')).toBe(false)
})

it('a program with arguments is not taken for the line that reads the same', async () => {
  const { approver, asked } = always('same')
  const { shell } = await openAsking(approver)
  await shell.execute({ argv: ['touch', 'a; touch x'] })
  await shell.execute({ command: 'touch a; touch x' })
  expect(asked.map(({ command }) => command)).toEqual(["touch 'a; touch x'", 'touch a; touch x'])
})

it('a program whose name reads like a variable is not taken for the line that sets it', async () => {
  const { approver, asked } = always('same')
  const { shell } = await openAsking(approver)
  await shell.execute({ command: 'A=1 touch a' })
  const program = shell.execute({ argv: ['A=1', 'touch', 'a'] })
  await expect(program).rejects.toMatchObject({ code: 'SPAWN_FAILED' })
  expect(asked.map(({ command }) => command)).toEqual(['A=1 touch a', "'A=1' touch a"])
})

describe('standard input', () => {
  async function openSame() {
    const { approver, asked } = always('same')
    return { ...(await openAsking(approver)), asked }
  }

  it('"same" covers the script that sh reads: another script is asked about again', async () => {
    const { shell, asked, made } = await openSame()
    for (const stdin of ['touch a', 'touch a', 'touch b', Buffer.from('touch a'), undefined])
      await shell.execute({ command: 'sh', stdin })
    expect(asked.map(({ stdin }) => stdin.kind)).toEqual(['given', 'given', 'none'])
    expect([made('a'), made('b')]).toEqual([true, true])
    expect(shell.approvals).toMatchObject([
      { stdin: createHash('sha256').update('touch a').digest('hex') },
      { stdin: createHash('sha256').update('touch b').digest('hex') },
      { stdin: null },
    ])
  })

  it('is not run before it is approved', async () => {
    const { shell, made } = await openAsking(async ({ stdin }) => (stdin.kind === 'none' ? 'yes' : 'no'))
    await expect(shell.execute({ command: 'sh', stdin: 'touch x' })).rejects.toMatchObject({
      code: 'NOT_APPROVED',
    })
    expect(made('x')).toBe(false)
  })

  it('is shown to the approver: its length, its digest and its beginning', async () => {
    const { shell, asked } = await openSame()
    const long = `# ${'ä'.repeat(2000)}`
    await shell.execute({ command: 'sh', stdin: '# short' })
    await shell.execute({ command: 'sh', stdin: long })
    expect(asked.map(({ stdin }) => stdin)).toMatchObject([
      { kind: 'given', bytes: 7, beginning: '# short', complete: true },
      { kind: 'given', bytes: 4002, beginning: long.slice(0, 501), complete: false },
    ])
  })

  it('that a stream, a descriptor or a terminal brings is unknown, and asked about each time', async () => {
    const { shell, asked } = await openSame()
    const file = join(shell.cwd, 'script')
    writeFileSync(file, 'touch from-file')
    const descriptor = openSync(file, 'r')
    for (const name of ['a', 'b'])
      await shell.execute({ command: 'sh', stdin: Readable.from([`touch ${name}`]) })
    await shell.execute({ command: 'sh', stdin: descriptor })
    closeSync(descriptor)
    const pty = await shell.start({ command: 'sh', pty: true })
    pty.kill()
    await pty.result
    expect(asked.map(({ stdin }) => stdin.kind)).toEqual(['unknown', 'unknown', 'unknown', 'unknown'])
    expect(shell.approvals).toEqual([])
  })
})

it('what the policy allows or denies is not asked', async () => {
  const { approver, asked } = always('yes')
  const { shell } = await openAsking(approver)
  await shell.execute({ command: 'echo hi' })
  await expect(shell.execute({ command: 'rm -rf /' })).rejects.toMatchObject({ code: 'DENIED' })
  expect(asked).toEqual([])
})

it('an approver gets copies: the decision and the standing approvals stay as they were', async () => {
  const stdin = { kind: 'given', bytes: 1, sha256: 'a', beginning: 'x', complete: true } as const
  const decided: Decision = { ...decision, matches: [] }
  const approvals = new Approvals(async (question, told) => {
    Object.assign(question.stdin, { sha256: 'b' })
    Object.assign(told, { verdict: 'allow', reason: 'changed' })
    return 'same'
  })
  expect(await approvals.may(request('cat', { stdin }), decided)).toBe(true)
  expect(decided).toEqual(decision)
  expect(approvals.list()).toMatchObject([{ kind: 'same', stdin: 'a' }])
})
