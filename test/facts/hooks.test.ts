import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { gitEnvironment } from '../helpers/git.ts'
import { makeDirectory, openTestShell } from '../helpers/place.ts'

/** What is decided about a commit that the user allows, in a repository with a hook in a directory of this name. */
async function verdictWith(hooks: string, hooksPath: string | undefined) {
  const home = makeDirectory()
  const cwd = join(home, 'repository')
  const env = gitEnvironment(home)
  mkdirSync(join(cwd, hooks), { recursive: true })
  const git = (...args: string[]) => execFileSync('git', args, { cwd, env, stdio: 'ignore' })
  git('init', '-q')
  writeFileSync(join(cwd, hooks, 'pre-commit'), '#!/bin/sh\n', { mode: 0o755 })
  if (hooksPath !== undefined) git('config', 'core.hooksPath', hooksPath)
  const shell = await openTestShell({ cwd, mode: 'write', env, toml: '[policy]\nallow = ["git commit"]\n' })
  return (await shell.decide({ command: 'git commit -m x' })).verdict
}

it.each([
  ['.git/hooks', undefined],
  ['own', 'own'],
  ['own/deep', './own/deep'],
  ['.git/own', '.git/own'],
])('a hook in %s with core.hooksPath %s is asked about', async (hooks, hooksPath) => {
  expect(await verdictWith(hooks, hooksPath)).toBe('ask')
})

it('a hook that git does not find is not', async () => {
  expect(await verdictWith('own', undefined)).toBe('allow')
  expect(await verdictWith('own', 'another')).toBe('allow')
})
