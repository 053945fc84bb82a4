import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { gitEnvironment } from '../../../helpers/git.ts'
import { makeDirectory, openTestShell } from '../../../helpers/place.ts'

/** Runs a script in a new directory, whose repository is in `sub`. */
function makeProject(script: string): string {
  const cwd = join(makeDirectory(), 'project')
  mkdirSync(cwd)
  execFileSync('sh', ['-ec', script], { cwd, env: gitEnvironment(cwd), stdio: 'pipe' })
  return cwd
}

/** What git would run for `git status`, if it obeyed this configuration. */
const config = `printf '[core]\\nrepositoryformatversion = 0\\nbare = false\\nworktree = .\\nfsmonitor = "touch ran; false"\\n' > config`
const rest = `mkdir -p objects refs; ${config}`

interface Row {
  readonly name: string
  readonly given: string
  readonly command: string
  /** Where git runs afterwards. */
  readonly at?: string
}

const rows: readonly Row[] = [
  { name: 'where there was none', given: 'true', command: `echo 'ref: refs/heads/x' > HEAD; ${rest}` },
  {
    name: 'where the repository has lost its HEAD',
    given: 'git init -q',
    command: `mv .git/HEAD .; ${rest}`,
  },
  {
    name: 'where the repository has lost its references',
    given: 'git init -q',
    command: `mv .git/refs .; mkdir objects; cp .git/HEAD .; ${config}`,
  },
  { name: 'with a link as HEAD', given: 'true', command: `ln -s refs/heads/x HEAD; ${rest}` },
  {
    name: 'of a repository in the workspace',
    given: 'git init -q sub',
    command: `cd sub; mv .git/HEAD .; ${rest}`,
    at: 'sub',
  },
]

describe.runIf(process.platform === 'linux')(
  'a directory that git obeys is not made of the workspace',
  () => {
    it.each(rows)('$name', async ({ given, command, at = '.' }) => {
      for (const mode of ['workspace', 'write'] as const) {
        const cwd = makeProject(given)
        await (await openTestShell({ cwd, mode })).execute({ command: `(${command})` })
        const git = ['-C', join(cwd, at), 'status']
        try {
          execFileSync('git', git, { env: gitEnvironment(cwd), stdio: 'pipe' })
        } catch {
          // It is no repository.
        }
        expect([mode, existsSync(join(cwd, at, 'ran'))]).toEqual([mode, mode === 'write'])
      }
    })

    it('and a directory that is called like it can be changed', async () => {
      const cwd = makeProject('git init -q; mkdir head')
      const shell = await openTestShell({ cwd, mode: 'workspace' })
      expect(await shell.execute({ command: 'mkdir head/new; echo x > head/new/file' })).toMatchObject({
        exitCode: 0,
      })
    })
  },
)

describe.runIf(process.platform === 'linux')('of a bare repository', () => {
  it.each([
    { name: 'that is the workspace', given: 'git init -q --bare .', at: '.' },
    { name: 'in the workspace', given: 'git init -q --bare sub', at: 'sub' },
  ])('$name, configuration and hooks stay', async ({ given, at }) => {
    for (const mode of ['workspace', 'write'] as const) {
      const cwd = makeProject(given)
      const shell = await openTestShell({ cwd, mode })
      await shell.execute({
        command: `cd ${at}; echo '[a]' >> config; echo x > hooks/post-update; echo x > refs/x`,
      })
      const changed = readFileSync(join(cwd, at, 'config'), 'utf8').includes('[a]')
      const paths = ['hooks/post-update', 'refs/x'].map((path) => existsSync(join(cwd, at, path)))
      expect([mode, changed, ...paths]).toEqual([mode, mode === 'write', mode === 'write', true])
    }
  })
})
