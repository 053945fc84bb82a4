import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { gitEnvironment } from '../../helpers/git.ts'
import { makeDirectory, openTestShell } from '../../helpers/place.ts'

/** Runs a script whose git has an identity, and no configuration of the user's. */
function sh(script: string, cwd: string): void {
  execFileSync('sh', ['-ec', script], { cwd, env: gitEnvironment(cwd), stdio: 'pipe' })
}

let master: string

beforeAll(() => {
  master = makeDirectory()
  sh(
    `
git init -q library && git -C library commit -q --allow-empty -m first
git init -q project && cd project
git -c protocol.file.allow=always submodule --quiet add ../library sub
git -c protocol.file.allow=always submodule --quiet add ../library lib/deep
git commit -qm first
`,
    master,
  )
})

/** A repository with the submodules `sub` and `lib/deep`, and a linked worktree beside it. */
function makeProject(): string {
  const parent = makeDirectory()
  sh(`cp -a '${master}/.' .; cd project; git worktree add -q ../tree && mkdir -p .git/modules/junk`, parent)
  return join(parent, 'project')
}

/** Ways to get a configuration or hooks below `.git/modules`, with what would be made. */
const ways = `
.git/modules/new/config: mkdir -p .git/modules/new; echo x > .git/modules/new/config
.git/modules/junk/config: echo x > .git/modules/junk/config
.git/modules/junk/new/hooks: mkdir -p .git/modules/junk/new/hooks
.git/modules/lib/new/config: mkdir .git/modules/lib/new; echo x > .git/modules/lib/new/config
.git/modules/new/config: mkdir src; echo x > src/config; mv src .git/modules/new
.git/modules/new/config: mkdir src; echo x > src/config; ln -s ../../src .git/modules/new
.git/modules/new/config: mkdir src; echo x > src/config; mv src .git/modules/sub/objects/e; mv .git/modules/sub/objects/e .git/modules/new
.git/modules/sub/modules/new/config: mkdir -p .git/modules/sub/modules/new; echo x > .git/modules/sub/modules/new/config
.git/modules/sub/hooks/pre-commit: echo x > .git/modules/sub/hooks/pre-commit
.git/worktrees/tree/modules/new/config: mkdir -p .git/worktrees/tree/modules/new; echo x > .git/worktrees/tree/modules/new/config
.git/modules/new/config: mv .git/modules .git/m; mkdir -p .git/modules/new; echo x > .git/modules/new/config
`
  .trim()
  .split('\n')
  .map((line) => line.split(/: (.*)/) as [string, string])

describe.runIf(process.platform === 'linux')('the git directories of submodules', () => {
  it.each(ways)('%s is not made by a command that makes its directory: %s', async (path, command) => {
    for (const mode of ['workspace', 'write'] as const) {
      const cwd = makeProject()
      const shell = await openTestShell({ cwd, mode })
      const { stderr } = await shell.execute({ command })
      expect([mode, existsSync(join(cwd, path))], stderr).toEqual([mode, mode === 'write'])
    }
  })

  it('are closed also where the repository has none yet', async () => {
    const cwd = join(makeDirectory(), 'project')
    mkdirSync(cwd)
    execFileSync('git', ['init', '-q'], { cwd })
    writeFileSync(join(cwd, 'config'), 'x')
    const shell = await openTestShell({ cwd, mode: 'workspace' })
    await shell.execute({
      command: 'mkdir -p made/new .git/modules; mv config made/new; mv made .git/modules',
    })
    await shell.execute({ command: 'cp -r made/new .git/modules/new; mv -T made .git/modules' })
    expect(existsSync(join(cwd, '.git/modules/new'))).toBe(false)
    expect(existsSync(join(cwd, '.git/modules/made'))).toBe(false)
    expect(existsSync(join(cwd, 'made/new/config'))).toBe(true)
  })
})

describe.runIf(process.platform === 'linux')('a submodule that only a shared index names', () => {
  it('is protected as one in the index itself', async () => {
    const cwd = makeProject()
    sh('rm -r lib/deep && git init -q lib/deep && git update-index --split-index', cwd)
    const shell = await openTestShell({ cwd, mode: 'workspace' })
    await shell.execute({ command: "echo '[a]' >> lib/deep/.git/config; echo x > lib/deep/file" })
    expect(readFileSync(join(cwd, 'lib/deep/.git/config'), 'utf8')).not.toContain('[a]')
    expect(existsSync(join(cwd, 'lib/deep/file'))).toBe(true)
  })
})
