import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { gitEnvironment } from '../../helpers/git.ts'
import { makeDirectory, openTestShell } from '../../helpers/place.ts'

/** Commits in a repository with a hook, in write mode with rules of the user's, where no question is answered. */
async function commitWith(allow: (hooks: string) => readonly string[]) {
  const home = makeDirectory()
  const cwd = join(home, 'repository')
  const hooks = join(cwd, '.git/hooks')
  const trace = join(home, 'ran')
  const env = gitEnvironment(home)
  mkdirSync(cwd)
  execFileSync('git', ['init', '-q'], { cwd, env, stdio: 'ignore' })
  mkdirSync(hooks, { recursive: true })
  writeFileSync(join(hooks, 'pre-commit'), `#!/bin/sh\necho ran > '${trace}'\n`, { mode: 0o755 })
  const toml = `[policy]\nunattended = "deny"\nallow = ${JSON.stringify(allow(hooks))}\n`
  const shell = await openTestShell({ cwd, mode: 'write', env, toml })
  const outcome = await shell.execute({ command: 'git commit -q --allow-empty -m x' }).then(
    ({ exitCode }) => exitCode,
    ({ code }: { readonly code: string }) => code,
  )
  return { outcome, ran: existsSync(trace) }
}

it.each([
  ['the command', () => ['git commit']],
  ['all of git', () => ['git']],
  ['another directory', () => ['git commit', '/nonexistent/hooks']],
  ['a hook beside it', (hooks: string) => ['git commit', join(hooks, 'pre')]],
] as const)('a rule that allows %s allows no hook', async (_, allow) => {
  expect(await commitWith(allow)).toEqual({ outcome: 'NOT_APPROVED', ran: false })
})

it.each([
  ['the hook', (hooks: string) => ['git commit', join(hooks, 'pre-commit')]],
  ['its directory', (hooks: string) => ['git commit', hooks]],
] as const)('a rule that allows %s by its absolute path does', async (_, allow) => {
  expect(await commitWith(allow)).toEqual({ outcome: 0, ran: true })
})
