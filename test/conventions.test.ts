import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
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

  it('hold no call to a number of milliseconds: bench/ measures how long calls take', () => {
    const bound = /(?:[mM]s|durationMs|performance\.now\(\) - \w+)\)\.toBeLessThan\w*\([\d(]/
    expect(tests.filter(({ text }) => bound.test(text)).map(({ path }) => path)).toEqual([])
  })

  it('have names of at most 90 characters', () => {
    const long = tests.flatMap(({ path, text }) =>
      namesIn(text).flatMap((name) => (name.length > 90 ? [`${path}: ${name}`] : [])),
    )
    expect(long).toEqual([])
  })

  it('stand in a folder of src or native, or in one that ARCHITECTURE.md names', () => {
    const foldersOf = (path: string) =>
      readdirSync(join(repository, path), { withFileTypes: true })
        .filter((entry) => entry.isDirectory())
        .map(({ name }) => name)
    const mirrored = [
      ...foldersOf('src'),
      ...['linux', 'windows', 'shell'], // shell: src/shell.ts
      ...foldersOf('native/linux').map((name) => `linux/${name}`),
    ]
    const here = [...foldersOf('test'), ...foldersOf('test/linux').map((name) => `linux/${name}`)]
    const others = here.filter((name) => !mirrored.includes(name))
    const text = readFileSync(join(repository, 'ARCHITECTURE.md'), 'utf8')
    const named = text.slice(text.indexOf('`test/` mirrors'))
    expect(others.filter((name) => !named.includes(`\`${name}/\``))).toEqual([])
  })
})
