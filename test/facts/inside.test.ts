import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { gitEnvironment } from '../helpers/git.ts'
import { makeDirectory, openTestShell } from '../helpers/place.ts'

interface Nested {
  /** Is in the index of the outer repository: git looks into it. */
  readonly linked: boolean
  /** Has a filter, which git would run. */
  readonly filter: boolean
}

/** What is decided about `git diff` around a repository that stands in another one, at `a/nested` and in that at `deep`. */
async function verdictAround({ linked, filter }: Nested, depth: 1 | 2) {
  const home = makeDirectory()
  const cwd = join(home, 'outer')
  const env = gitEnvironment(home)
  const git = (at: string, ...args: string[]) => execFileSync('git', args, { cwd: at, env, stdio: 'ignore' })
  const make = (at: string) => {
    mkdirSync(at, { recursive: true })
    git(at, 'init', '-q')
    writeFileSync(join(at, 'file'), 'x')
  }
  const trees = [cwd, join(cwd, 'a/nested'), join(cwd, 'a/nested/deep')].slice(0, depth + 1)
  for (const tree of trees) make(tree)
  for (const tree of [...trees].reverse()) {
    git(tree, 'add', ...(linked ? ['.'] : ['file']))
    git(tree, 'commit', '-qm', 'x')
  }
  if (filter) git(trees.at(-1) ?? '', 'config', 'filter.own.clean', 'cat')
  const shell = await openTestShell({ cwd, mode: 'write', env })
  return (await shell.decide({ command: 'git diff' })).verdict
}

it.each([1, 2] as const)(
  'a filter of a repository that git looks into is asked about, %d deep',
  async (depth) => {
    expect(await verdictAround({ linked: true, filter: true }, depth)).toBe('ask')
  },
)

it.each([1, 2] as const)('without it nothing is, %d deep', async (depth) => {
  expect(await verdictAround({ linked: true, filter: false }, depth)).toBe('allow')
})

it('a repository that git does not look into does not matter', async () => {
  expect(await verdictAround({ linked: false, filter: true }, 1)).toBe('allow')
})
