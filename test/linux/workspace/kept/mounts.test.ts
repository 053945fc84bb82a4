import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { users } from '../../../attacks/table.ts'
import { makeDirectory } from '../../../helpers/place.ts'
import { runAs } from '../../../helpers/run-as.ts'

const [user] = users

const canMount =
  process.getuid?.() === 0 && spawnSync('unshare', ['-m', 'true'], { stdio: 'ignore' }).status === 0

/** Runs lines in a workspace, on two directories of which another one is mounted, in mounts of its own. Their exit codes. */
async function codesOf(mode: 'workspace' | 'write', lines: readonly string[]) {
  if (!user) throw new Error('there is no user')
  const parent = makeDirectory()
  const [cwd, outside] = [join(parent, 'work'), join(parent, 'outside')]
  for (const name of ['mounted', 'with a space', 'deep/er', 'plain'])
    mkdirSync(join(cwd, name), { recursive: true })
  for (const name of ['1', '2', '3']) mkdirSync(join(outside, name), { recursive: true })
  const script = `cd "$0" && mount --bind ../outside/1 mounted && mount --bind ../outside/2 'with a space' &&
    mount --bind ../outside/3 deep/er && exec "$@"`
  const results = await runAs(user, {
    options: { mode, cwd },
    commands: lines.map((line) => ['sh', '-c', line]),
    wrapper: ['unshare', '-m', 'sh', '-c', script, cwd],
  })
  return {
    codes: results.map(({ exitCode }) => exitCode === 0),
    outside: ['1', '2', '3'].map((name) => readdirSync(join(outside, name))),
  }
}

const lines = [
  'echo x > mounted/a',
  "echo x > 'with a space/b'",
  'mkdir deep/er/c',
  'echo x > deep/er/d',
  'echo x > plain/e',
]

describe.runIf(canMount)('what is mounted in the workspace (as root)', () => {
  it('is not changed, though the directories around it are', async () => {
    expect(await codesOf('workspace', lines)).toEqual({
      codes: [false, false, false, false, true],
      outside: [[], [], []],
    })
  })

  it('is in write mode', async () => {
    expect(await codesOf('write', lines)).toEqual({
      codes: [true, true, true, true, true],
      outside: [['a'], ['b'], ['c', 'd']],
    })
  })
})
