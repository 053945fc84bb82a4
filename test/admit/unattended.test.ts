import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { ApprovalRequest } from '../../src/index.ts'
import { gitEnvironment } from '../helpers/git.ts'
import { makeDirectory, openTestShell, type TestShellOptions } from '../helpers/place.ts'

/** A repository that runs a program of its own when git looks at its files: a filter, which nothing but git can leave out. */
function filteredRepository() {
  const home = makeDirectory()
  const cwd = join(home, 'repository')
  const trace = join(home, 'ran')
  mkdirSync(cwd)
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd, stdio: 'ignore', env: gitEnvironment(home) })
  git('init', '-q')
  git('config', 'user.name', 'a')
  git('config', 'user.email', 'a@example.com')
  writeFileSync(join(cwd, 'a.txt'), 'one\n')
  git('add', '.')
  git('commit', '-qm', 'first')
  writeFileSync(join(cwd, 'a.txt'), 'two!\n')
  writeFileSync(join(cwd, '.git/info/attributes'), '*.txt filter=own\n')
  git('config', 'filter.own.clean', `echo ran >> '${trace}'; cat`)
  return { cwd, env: gitEnvironment(home), ran: () => existsSync(trace) }
}

const allowing = '[policy]\nunattended = "allow"\n'

async function run(command: string, options: TestShellOptions = {}) {
  const { ran, ...place } = filteredRepository()
  const shell = await openTestShell({ ...place, mode: 'write', toml: allowing, ...options })
  const outcome = await shell.execute({ command }).then(
    ({ exitCode }) => exitCode,
    ({ code }: { readonly code: string }) => code,
  )
  return { outcome, ran: ran() }
}

it('unattended = "deny" holds a line of the safe list, whatever the repository names', async () => {
  const toml = '[policy]\nunattended = "deny"\n'
  expect(await run('git status', { toml })).toEqual({ outcome: 0, ran: false })
})

it('so does an approver, who is not asked about it', async () => {
  const asked: string[] = []
  const approver = async ({ command }: ApprovalRequest) => {
    asked.push(command)
    return 'yes' as const
  }
  expect(await run('git status', { approver })).toEqual({ outcome: 0, ran: false })
  expect(asked).toEqual([])
})

it('unattended = "allow" answers every question, and "deny" none', async () => {
  expect(await run('chmod 600 a.txt')).toMatchObject({ outcome: 0 })
  const toml = '[policy]\nunattended = "deny"\n'
  expect(await run('chmod 600 a.txt', { toml })).toMatchObject({ outcome: 'NOT_APPROVED' })
  const confirming = `${toml}auto_confirm = true\n`
  expect(await run('chmod 600 a.txt', { toml: confirming })).toMatchObject({ outcome: 0 })
})
