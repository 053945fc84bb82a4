import { describe, expect, it } from 'vitest'
import type { Refusal } from '../../src/base/refusal.ts'
import { describeRefusal } from '../../src/messages/refusal.ts'

const banned = /undefined|\[object|NaN|!\s*$/i

function expectSentence(text: unknown): void {
  expect(text).toMatch(/^\S/)
  expect(text).toMatch(/[.?]$/)
  expect(text).not.toMatch(banned)
  expect(String(text).split('\n').length).toBeLessThanOrEqual(2)
}

const decision = { verdict: 'deny', reason: 'a rule denies it', matches: [] } as const
const approval = { by: 'policy', answer: 'no' } as never
const refusals: readonly Refusal[] = [
  { code: 'INVALID_REQUEST', problem: { kind: 'blank-command' } },
  { code: 'INVALID_REQUEST', problem: { kind: 'command-and-argv' } },
  { code: 'INVALID_REQUEST', problem: { kind: 'nul-byte', field: 'command' } },
  {
    code: 'INVALID_REQUEST',
    problem: { kind: 'too-long', field: 'command', bytes: 200_000, limit: 131_071 },
  },
  { code: 'INVALID_REQUEST', problem: { kind: 'wrong-type', field: 'cwd', wanted: 'a string', got: '3' } },
  { code: 'INVALID_REQUEST', problem: { kind: 'unknown-option', field: 'comand', nearest: 'command' } },
  { code: 'INVALID_REQUEST', problem: { kind: 'cwd', path: '/gone', reason: 'missing' } },
  { code: 'INVALID_REQUEST', problem: { kind: 'cwd', path: '/gone', reason: 'unanswered' } },
  { code: 'INVALID_REQUEST', problem: { kind: 'cwd-outside', path: '/a', workspace: '/b' } },
  { code: 'INVALID_REQUEST', problem: { kind: 'unsavable', name: 'log', reason: 'ENOSPC' } },
  { code: 'INVALID_REQUEST', problem: { kind: 'shell-closed' } },
  { code: 'INVALID_REQUEST', problem: { kind: 'no-terminal' } },
  { code: 'SANDBOX_UNAVAILABLE', for: 'limits', wanted: 'a', got: 'b', remedy: 'do c' },
  { code: 'SANDBOX_UNAVAILABLE', for: 'launcher', wanted: 'a', got: 'b', remedy: 'do c' },
  { code: 'SANDBOX_UNAVAILABLE', for: 'docker', wanted: 'a', got: 'b', remedy: 'do c' },
  { code: 'SANDBOX_UNAVAILABLE', for: 'engine', wanted: 'a', got: 'b', remedy: 'do c' },
  { code: 'SANDBOX_UNAVAILABLE', for: 'hosts', wanted: 'a', got: 'b', remedy: 'do c' },
  { code: 'SANDBOX_UNAVAILABLE', for: 'workspace', wanted: 'a', got: 'b', remedy: 'do c' },
  { code: 'SANDBOX_UNAVAILABLE', platform: 'haiku', wanted: 'a', got: 'b', remedy: 'do c' },
  { code: 'WRITE_MODE_REQUIRED', setBy: '/a/.vitrine.toml' },
  { code: 'DENIED', decision },
  { code: 'NOT_APPROVED', decision, approval },
  { code: 'AUDIT_FAILED', path: '/a', step: 'write', reason: 'ENOSPC' },
  { code: 'SPAWN_FAILED', step: 'exec', errno: 'ENOENT', program: 'ls' },
  { code: 'SPAWN_FAILED', step: 'exec', errno: 'ENOENT', program: './run', missing: 'interpreter' },
  { code: 'SPAWN_FAILED', step: 'exec', errno: 'E2BIG', program: 'ls' },
  { code: 'SPAWN_FAILED', step: 'core dumps', errno: 'EPERM', program: 'ls' },
]

describe('a refusal', () => {
  it.each(refusals)('%j says why nothing ran, to a user and to a model', (refusal) => {
    for (const reader of ['user', 'tool'] as const) expectSentence(describeRefusal(refusal, reader))
  })
})
