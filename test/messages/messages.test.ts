import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Refusal, Unmet } from '../../src/base/refusal.ts'
import { describeRefusal } from '../../src/messages/refusal.ts'
import { repository } from '../helpers/programs.ts'
import { fragments, outputs, sentences, unmet } from './samples.ts'

/** Modules whose texts are whole outputs, tables or records: the tests of their faces compare those. */
const elsewhere = [
  'approval',
  'cli/docker',
  'cli/doctor',
  'cli/help',
  'cli/policy-list',
  'cli/shell',
  'denials',
  'error',
  'fallbacks',
  'hints',
  'list',
  'mcp/mcp',
  'mcp/scratchpad',
  'mcp/parameters',
  'mcp/tool',
  'project',
  'reads',
  'refusal',
  'sandbox/notes',
  'scratchpad',
  'wanted',
]

const root = join(repository, 'src/messages')
const modules = readdirSync(root, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts'))
  .map((path) => path.slice(0, -'.ts'.length))
const tables: Readonly<Record<string, Readonly<Record<string, readonly unknown[]>>>>[] = [
  sentences,
  fragments,
  unmet,
  outputs,
]

async function exportsOf(module: string): Promise<Record<string, unknown>> {
  return import(join(root, `${module}.ts`))
}

/** What a message function says about its sample. */
async function said(module: string, name: string, sample: readonly unknown[]): Promise<unknown> {
  const message = (await exportsOf(module))[name]
  return typeof message === 'function' ? message(...sample) : message
}

function rowsOf(table: (typeof tables)[number]) {
  return Object.entries(table).flatMap(([module, rows]) =>
    Object.entries(rows).map(([name, sample]) => ({ module, name, sample })),
  )
}

const banned = /undefined|\[object|NaN|\bnobody\b|\bsomebody\b|\bwhoever\b|!\s*$/i

function expectSentence(text: unknown): void {
  expect(text).toMatch(/^\S/)
  expect(text).toMatch(/[.?]$/)
  expect(text).not.toMatch(banned)
  expect(String(text).split('\n').length).toBeLessThanOrEqual(2)
}

describe('the messages', () => {
  it('each module has samples here, or tests of its whole output', () => {
    const known = [...elsewhere, ...tables.flatMap((table) => Object.keys(table))]
    expect(modules.filter((module) => !known.includes(module))).toEqual([])
    expect(known.filter((module) => !modules.includes(module))).toEqual([])
  })

  it.each(modules.filter((module) => !elsewhere.includes(module)))(
    'each function of %s has a sample',
    async (module) => {
      const functions = Object.entries(await exportsOf(module)).filter(([, is]) => typeof is === 'function')
      const names = functions.map(([name]) => name)
      const sampled = tables.flatMap((table) => Object.keys(table[module] ?? {}))
      expect(names.filter((name) => !sampled.includes(name))).toEqual([])
      expect(Object.keys(await exportsOf(module))).toEqual(expect.arrayContaining(sampled))
    },
  )

  it.each(rowsOf(sentences))('$module $name is a sentence of at most two lines', async (row) => {
    expectSentence(await said(row.module, row.name, row.sample))
  })

  it.each(rowsOf(fragments))('$module $name is a line that another sentence can hold', async (row) => {
    const text = await said(row.module, row.name, row.sample)
    expect(text).toMatch(/^\S[^\n]*[^.\n]$/)
    expect(text).not.toMatch(banned)
  })

  it.each(rowsOf(unmet))('$module $name says what is missing, and what to do', async (row) => {
    const facts = (await said(row.module, row.name, row.sample)) as Unmet
    expect(Object.values(facts).filter((text) => /^[A-Z][a-z]+ [a-z]|\.$|\n/.test(text))).toEqual([])
    for (const reader of ['user', 'tool'] as const)
      expectSentence(describeRefusal({ code: 'SANDBOX_UNAVAILABLE', ...facts }, reader))
  })
})

describe('an output of several lines', () => {
  it.each(rowsOf(outputs))('$module $name has no hole', async (row) => {
    expect(JSON.stringify(await said(row.module, row.name, row.sample))).not.toMatch(banned)
  })
})

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
