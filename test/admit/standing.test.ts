import { expect, it } from 'vitest'
import { Approvals } from '../../src/admit/approvals.ts'
import type { Approval, ApprovalRequest } from '../../src/admit/approver.ts'
import type { Decision } from '../../src/base/types.ts'

const decision: Decision = { verdict: 'ask', reason: 'a test', matches: [] }

function request(changed: Partial<ApprovalRequest> = {}): ApprovalRequest {
  const { signal } = new AbortController()
  return { command: 'make', cwd: '/', mode: 'write', stdin: { kind: 'none' }, signal, ...changed }
}

/** The answers of an approver, in turn, and how often it was asked. */
function answering(...answers: readonly Approval[]) {
  let asked = 0
  const approvals = new Approvals(async () => answers[asked++] as Approval)
  const answer = async (changed: Partial<ApprovalRequest>) =>
    (await approvals.approves(request(changed), decision)).answer
  return { answer, asked: () => asked, approvals }
}

it.each(['all', 'same'] as const)('"%s" covers no question that is asked each time', async (standing) => {
  const { answer, asked } = answering(standing, 'no', 'no')
  expect(await answer({})).toBe(standing)
  expect(await answer({})).toBe('yes')
  expect([await answer({ once: true }), asked()]).toEqual(['no', 2])
  expect(await answer({ once: true, change: '/x' })).toBe('no')
})

it('an answer to such a question covers nothing', async () => {
  const { answer, asked } = answering('all', 'no')
  expect(await answer({ once: true })).toBe('all')
  expect([await answer({}), asked()]).toEqual(['no', 2])
})

const host = (name: string, port: number) => ({ connect: { host: name, port, program: 'curl' } })

it('a host that the user has refused stays refused, at that port, until it is taken back', async () => {
  const { answer, asked, approvals } = answering('no', 'yes', 'yes')
  expect(await answer(host('a.example', 443))).toBe('no')
  expect([await answer(host('a.example', 443)), asked()]).toEqual(['no', 1])
  expect([await answer(host('a.example', 22)), asked()]).toEqual(['yes', 2])
  approvals.revoke()
  expect([await answer(host('a.example', 443)), asked()]).toEqual(['yes', 3])
})

it('a host that the user has allowed for the session is allowed at that port alone', async () => {
  const { answer, asked } = answering('same', 'no', 'no')
  expect(await answer(host('a.example', 443))).toBe('same')
  expect([await answer(host('a.example', 443)), asked()]).toEqual(['yes', 1])
  expect([await answer(host('a.example', 22)), asked()]).toEqual(['no', 2])
  expect([await answer(host('b.example', 443)), asked()]).toEqual(['no', 3])
})

it.each(['YES', 'maybe', '', true, 1, null, undefined, {}])('any other value is no: %j', async (value) => {
  const { answer } = answering(value as Approval)
  expect(await answer({})).toBe('no')
})
