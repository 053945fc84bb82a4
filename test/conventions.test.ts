import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { repository } from './helpers/programs.ts'

const root = join(repository, 'test')
const files = readdirSync(root, { recursive: true, encoding: 'utf8' })
const tests = files
  .filter((path) => path.endsWith('.test.ts'))
  .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }))

/** Names that stand as one literal; those of tables are made of their rows. */
function namesIn(text: string): string[] {
  const first = /\b(?:it|describe)(?:\.\w+)*\(\s*(['"`])((?:\\.|(?!\1).)*)\1,/g
  const ofTable = /\]?\)\(\s*(['"`])((?:\\.|(?!\1).)*)\1,/g
  return [...text.matchAll(first), ...text.matchAll(ofTable)].map(([, , name = '']) => name)
}

describe('the tests', () => {
  it('use it, not test', () => {
    const others = tests.filter(({ text }) => /^\s*test(\.\w+)*\(/m.test(text))
    expect(others.map(({ path }) => path)).toEqual([])
  })

  it('have names of at most 90 characters', () => {
    const long = tests.flatMap(({ path, text }) =>
      namesIn(text).flatMap((name) => (name.length > 90 ? [`${path}: ${name}`] : [])),
    )
    expect(long).toEqual([])
  })

  it('stand at most 20 in a folder', () => {
    const counts = new Map<string, number>()
    for (const { path } of tests) counts.set(dirname(path), (counts.get(dirname(path)) ?? 0) + 1)
    expect([...counts].filter(([, count]) => count > 20)).toEqual([])
  })
})
