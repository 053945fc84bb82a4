import { describe, expect, it } from 'vitest'
import type { Result } from '../../src/index.ts'
import { resultText, type ToolRequest } from '../../src/messages/answer.ts'

const plain: Result = {
  output: 'out\n',
  truncated: false,
  omittedBytes: 0,
  stdout: 'out\n',
  stderr: '',
  exitCode: 0,
  signal: null,
  timedOut: false,
  cancelled: false,
  outputLimited: false,
  durationMs: 1,
  bytes: 4,
  binary: false,
  timeoutMs: 30_000,
  survivorsKilled: 0,
  denials: [],
  handoffs: [],
  listening: [],
  mode: 'read',
  backend: 'local',
  enforcement: {},
  decision: { verdict: 'allow', reason: '', matches: [] },
  outcome: { kind: 'exited', code: 0 },
}
const denial = { syscall: 'openat', pid: 1, program: 'sh', count: 1 }

function text(changes: Partial<Result>, asked: Partial<ToolRequest> = {}): string {
  return resultText({ ...plain, ...changes }, { timeoutMs: 30_000, inlineChars: 30_000, ...asked })
}

describe('the text of a result', () => {
  it('names what to look at before a program outside obeys it', () => {
    const handoffs = Array.from({ length: 7 }, (_, at) => ({
      path: `/w/sub${at}`,
      kind: 'repository' as const,
      obeyedBy: 'git',
    }))
    const named = [0, 1, 2, 3, 4].map((at) => `/w/sub${at} (git)`).join(', ')
    expect(text({ handoffs })).toBe(
      `out\n[look before a program outside obeys what is new: ${named}, and 2 more]`,
    )
  })

  it('names where it listened', () => {
    const listening = [4, 6].map((family) => ({
      ...{ address: family === 4 ? '0.0.0.0' : '::1', port: 3000 + family, pid: 12, program: 'node' },
    }))
    expect(text({ listening })).toBe(
      'out\n[listened, until it ended, at 0.0.0.0:3004 (node, pid 12), [::1]:3006 (node, pid 12)]',
    )
    const many = Array.from({ length: 32 }, () => ({ ...listening[0], ...{ pid: 1 } })) as typeof listening
    expect(text({ listening: many })).toMatch(/(, 0\.0\.0\.0:3004 \(node, pid 1\)){4}, and 27 more\]$/)
  })

  it('holds no more than head and tail of output that could not be saved', () => {
    const output = `${'a'.repeat(500_000)}${'z'.repeat(500_000)}`
    const shown = text({ output, bytes: 1_000_000 }, { inlineChars: 100 })
    expect(shown).toBe(`${'a'.repeat(50)}\n[... 999900 bytes omitted ...]\n${'z'.repeat(50)}`)
  })

  const failed = { outcome: { kind: 'exited', code: 1 } } as const
  const connect = { ...denial, operation: 'connect', address: '127.0.0.1:80', count: 4 } as const
  const write = (path: string) => ({ ...denial, operation: 'write', path }) as const
  const hint = 'blocked in read mode: write a; x.'

  it.each<[string, Partial<Result>, string]>([
    [
      'the output limit',
      { outcome: { kind: 'output-limit', limit: 1000 } },
      '[more than 1000 bytes of output; killed]',
    ],
    [
      'a denial of an address, repeated',
      { ...failed, denials: [connect] },
      '[exit code: 1]\n[blocked in read mode: connect 127.0.0.1:80 (4 times)]',
    ],
    [
      'a denial whose path has control characters',
      { ...failed, denials: [write('a\nb\u001b[2J')] },
      '[exit code: 1]\n[blocked in read mode: write a\\nb\\x1b[2J]',
    ],
    [
      'background processes that live on',
      { background: { count: 2, group: 77 } },
      '[2 background processes are still running: process group 77]',
    ],
    [
      'background processes that were killed',
      { survivorsKilled: 1 },
      '[1 background process was killed when the command ended]',
    ],
    [
      'a denial of a command that ended with 0: the hint tells what there is to tell',
      { denials: [write('a')], hint },
      `[${hint}]`,
    ],
  ])('%s', (_what, changes, wanted) => {
    expect(text(changes)).toBe(`out\n${wanted}`)
  })

  it('many denials are counted after the twentieth, attempt by attempt', () => {
    const count = (at: number) => (at < 20 ? 1 : 3)
    const denials = Array.from({ length: 25 }, (_, at) => ({ ...write(`f${at}`), count: count(at) }))
    const lines = text({ ...failed, denials })
      .trim()
      .split('\n')
    expect(lines).toHaveLength(23)
    expect(lines.at(-1)).toBe('[blocked in read mode: 15 more]')
  })
})
