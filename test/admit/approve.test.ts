import { createHash } from 'node:crypto'
import { closeSync, existsSync, openSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { Approvals } from '../../src/admit/approvals.ts'
import type { Approval, ApprovalRequest, Approver } from '../../src/admit/approver.ts'
import type { Decision } from '../../src/base/types.ts'
import { makeDirectory, openTestShell } from '../helpers/place.ts'

const decision: Decision = { verdict: 'ask', reason: 'a test', matches: [] }

/** An approver that gives these answers in turn, the last one from then on, and the requests it got. */
function answering(...answers: readonly Approval[]) {
  const asked: ApprovalRequest[] = []
  const approver: Approver = async (request) => {
    asked.push(request)
    return answers[Math.min(asked.length, answers.length) - 1] as Approval
  }
  return { approver, asked }
}

/** What approvals answer to `make` in `/`, or to what is changed of it. */
function asking(approver: Approver) {
  const approvals = new Approvals(approver)
  const answer = async (changed: Partial<ApprovalRequest> = {}, decided = decision) => {
    const { signal } = new AbortController()
    const request = { command: 'make', cwd: '/', mode: 'write', stdin: { kind: 'none' }, signal } as const
    return (await approvals.approves({ ...request, ...changed }, decided)).answer
  }
  return { approvals, answer }
}

describe('what an answer covers', () => {
  /** The answers to `make`, and the requests that the approver got. */
  function given(...answers: readonly Approval[]) {
    const { approver, asked } = answering(...answers)
    return { ...asking(approver), asked }
  }

  it('"yes" covers one question', async () => {
    const { answer, asked, approvals } = given('yes')
    for (let time = 0; time < 3; time++) await answer()
    expect(asked).toHaveLength(3)
    expect(approvals.list()).toEqual([])
  })

  it.each<[string, Partial<ApprovalRequest>]>([
    ['another command', { command: 'other' }],
    ['another directory', { cwd: '/tmp' }],
    ['the other mode', { mode: 'read' }],
    [
      'another standard input',
      { stdin: { kind: 'given', bytes: 1, sha256: 'x', beginning: 'x', complete: true } },
    ],
  ])('"same" does not cover %s', async (_, changed) => {
    const { answer, asked } = given('same')
    for (let time = 0; time < 2; time++) await answer()
    expect(asked).toHaveLength(1)
    await answer(changed)
    expect(asked).toHaveLength(2)
  })

  it('"all" in read mode, which holds every command, covers none in write mode', async () => {
    const { answer, asked } = given('all')
    for (const changed of [{ mode: 'read' }, { mode: 'read', command: 'y' }, { command: 'y' }] as const)
      await answer(changed)
    expect(asked.map(({ mode }) => mode)).toEqual(['read', 'write'])
  })

  it.each(['all', 'same'] as const)('"%s" covers no question that is asked each time', async (standing) => {
    const { answer, asked } = given(standing, 'no')
    expect([await answer(), await answer()]).toEqual([standing, 'yes'])
    expect([await answer({ once: true }), asked.length]).toEqual(['no', 2])
    expect(await answer({ once: true, change: '/x' })).toBe('no')
  })

  it('an answer to such a question covers nothing', async () => {
    const { answer, asked } = given('all', 'no')
    expect(await answer({ once: true })).toBe('all')
    expect([await answer(), asked.length]).toEqual(['no', 2])
  })

  const host = (name: string, port: number) => ({ connect: { host: name, port, program: 'curl' } })

  it('a host that the user has refused stays refused, at that port, until it is taken back', async () => {
    const { answer, asked, approvals } = given('no', 'yes')
    expect(await answer(host('a.example', 443))).toBe('no')
    expect([await answer(host('a.example', 443)), asked.length]).toEqual(['no', 1])
    expect([await answer(host('a.example', 22)), asked.length]).toEqual(['yes', 2])
    approvals.revoke()
    expect([await answer(host('a.example', 443)), asked.length]).toEqual(['yes', 3])
  })

  it('a host that the user has allowed for the session is allowed at that port alone', async () => {
    const { answer, asked } = given('same', 'no')
    expect(await answer(host('a.example', 443))).toBe('same')
    expect([await answer(host('a.example', 443)), asked.length]).toEqual(['yes', 1])
    expect([await answer(host('a.example', 22)), asked.length]).toEqual(['no', 2])
    expect([await answer(host('b.example', 443)), asked.length]).toEqual(['no', 3])
  })

  it.each(['YES', 'maybe', '', true, 1, null, undefined, {}])('any other value is no: %j', async (value) => {
    expect(await given(value as Approval).answer()).toBe('no')
  })
})

it('an answer that comes too late is none, whatever it is, and approves of nothing', async () => {
  let say: (answer: Approval) => void = () => {}
  const { answer, approvals } = asking(() => new Promise((resolve) => (say = resolve)))
  const late = new AbortController()
  const approved = answer({ signal: late.signal })
  await settled()
  late.abort()
  expect(await approved).toBe('none')
  say('all')
  await settled()
  expect(approvals.list()).toEqual([])
})

/** Every promise that can settle has settled: nothing here waits for the machine. */
const settled = () => new Promise((resolve) => setImmediate(resolve))

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
  const { approver, asked } = answering('same', 'all', 'no')
  const { shell, made } = await openAsking(approver)
  for (const name of ['x', 'y', 'z']) await shell.execute({ command: `touch ${name}` })
  expect(asked.map(({ command }) => command)).toEqual(['touch x', 'touch y'])
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
  const { approver, asked } = answering('same')
  const { shell } = await openAsking(approver)
  await shell.execute({ argv: ['touch', 'a; touch x'] })
  await shell.execute({ command: 'touch a; touch x' })
  expect(asked.map(({ command }) => command)).toEqual(["touch 'a; touch x'", 'touch a; touch x'])
})

it('a program whose name reads like a variable is not taken for the line that sets it', async () => {
  const { approver, asked } = answering('same')
  const { shell } = await openAsking(approver)
  await shell.execute({ command: 'A=1 touch a' })
  const program = shell.execute({ argv: ['A=1', 'touch', 'a'] })
  await expect(program).rejects.toMatchObject({ code: 'SPAWN_FAILED' })
  expect(asked.map(({ command }) => command)).toEqual(['A=1 touch a', "'A=1' touch a"])
})

describe('standard input', () => {
  async function openSame() {
    const { approver, asked } = answering('same')
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

it('an approver gets copies: the decision and the standing approvals stay as they were', async () => {
  const stdin = { kind: 'given', bytes: 1, sha256: 'a', beginning: 'x', complete: true } as const
  const decided: Decision = { ...decision, matches: [] }
  const { answer, approvals } = asking(async (question, told) => {
    Object.assign(question.stdin, { sha256: 'b' })
    Object.assign(told, { verdict: 'allow', reason: 'changed' })
    return 'same'
  })
  expect(await answer({ stdin }, decided)).toBe('same')
  expect(decided).toEqual(decision)
  expect(approvals.list()).toMatchObject([{ kind: 'same', stdin: 'a' }])
})
