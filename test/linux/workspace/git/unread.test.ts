import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { Home } from '../../../cli/vitrine.ts'
import { nobody, whyNot } from '../../../helpers/other-users.ts'
import { openTestShell } from '../../../helpers/place.ts'
import { expectKept, makeProject, rowsOf } from './projects.ts'

/** What git reads although a stricter parser would not. */
const odd = rowsOf(String.raw`
.gh: printf '[core]\nhooksPath=.gh\\' >> .git/config
.gh : printf '[core]\nhooksPath=.gh ""' >> .git/config => echo x > ".gh "
.gh: printf '[core]\nhooksPath=.g\\\nh' >> .git/config
.gh: printf '[core]hooksPath=".g"h # x' >> .git/config
.gh: printf '\357\273\277[core]\nhooksPath=.gh' > "$HOME/.gitconfig"
.gh: printf '[user]\nname = Jos\351\n[core]\nhooksPath=.gh' > "$HOME/.gitconfig"
`)

/** What cannot be known. */
const refused = [
  ['is larger than 1 MiB', `seq 200000 | sed 's/^/# /' >> .git/config`],
  ['is larger than 1 MiB and included', `seq 200000 | sed 's/^/# /' > x; git config include.path ../x`],
  ['is no configuration', `echo '[core' >> .git/config`],
  ['has an escape that git does not know', `printf '[core]\\nhooksPath=.g\\\\h' >> .git/config`],
  ['has a NUL', `printf '[core]\\nhooksPath=.gh\\0x' >> .git/config`],
  ['names a path that is not UTF-8', `printf '[core]\\nhooksPath=.gh\\351' >> .git/config`],
  ['is a directory', 'rm .git/config; mkdir .git/config'],
  ['is a FIFO', 'mkfifo "$HOME/.gitconfig"'],
  ['is that of a repository in the workspace', `git init -q nested; echo '[core' >> nested/.git/config`],
  ['includes very many', `for i in $(seq 600); do echo "[include]path=x$i"; done >> .git/config`],
] as const

const isRoot = process.getuid?.() === 0
/** Modes do not bind root. */
const cannotShut = isRoot && whyNot(nobody) !== null

/** For commands of an ordinary user, as permissions do not bind root. */
function makeShut(given: string) {
  const { cwd, home } = makeProject(given)
  const own = new Home()
  if (isRoot) execFileSync('chown', ['-R', String(nobody.uid), dirname(cwd), own.directory])
  const options = { cwd, env: { HOME: home }, ...(isRoot ? { uid: nobody.uid } : {}) }
  return { cwd, run: (command: string) => own.run(['run', '--mode', 'workspace', '--', command], options) }
}

const linux = describe.runIf(process.platform === 'linux')

linux('a configuration of git that is written unusually', () => {
  it.each(odd)('protects $path: $given', expectKept)
})

linux('workspace mode is refused where a configuration of git', () => {
  it.each(refused)('%s', async (_, given) => {
    const { cwd, home } = makeProject(given)
    const opening = openTestShell({ cwd, mode: 'workspace', env: { HOME: home } })
    await expect(opening).rejects.toMatchObject({
      code: 'SANDBOX_UNAVAILABLE',
      refusal: { for: 'workspace', got: expect.stringContaining('configuration of git') },
    })
    expect(existsSync(join(cwd, '.gh'))).toBe(false)
  })

  it.skipIf(cannotShut).for([
    ['chmod 000 .git', '.git/config'],
    ['chmod 600 .git', '.git/config'],
    ['chmod 000 .git/config', '.git/config'],
    ['chmod 000 nested/.git', 'nested/.git/config'],
  ] as const)('is out of reach: %s', async ([shut, file]) => {
    const { cwd, run } = makeShut(`git init -q nested; git config core.hooksPath .gh; ${shut}`)
    const { code, stderr } = await run('mkdir .gh')
    expect([code, stderr.split('\n')[0]]).toEqual([125, expect.stringContaining(join(cwd, file))])
    expect(stderr).toContain('let vitrine read that file')
    expect(existsSync(join(cwd, '.gh'))).toBe(false)
  })

  it.skipIf(cannotShut)('not: a directory out of reach need not hold a repository', async () => {
    const { run } = makeShut('mkdir data; chmod 000 data')
    expect(await run('echo x > made')).toMatchObject({ code: 0 })
  })

  it('appears later, and names it', async () => {
    const { cwd, home } = makeProject('git init -q nested')
    const shell = await openTestShell({ cwd, mode: 'workspace', env: { HOME: home } })
    await shell.execute({ command: "mkdir -p made/.git; echo '[core' > made/.git/config" })
    await expect(shell.execute({ command: 'true' })).rejects.toThrow(join(cwd, 'made/.git/config'))
  })

  it('not: /dev/null is empty', async () => {
    const { cwd, home } = makeProject('')
    const env = { HOME: home, GIT_CONFIG_GLOBAL: '/dev/null' }
    const shell = await openTestShell({ cwd, mode: 'workspace', env })
    expect(await shell.execute({ command: 'echo x > made' })).toMatchObject({ exitCode: 0 })
  })
})

linux('workspace mode is refused where links may be in a protected directory', () => {
  it.skipIf(cannotShut).for(['.git/hooks', '.vscode', '.vscode/inner'])(
    'that can be entered but not listed: %s',
    async (directory) => {
      const link = `mkdir -p scripts ${directory}; echo '#!/bin/sh' > scripts/pc; ln -s $PWD/scripts/pc ${directory}/pre-commit`
      const { cwd, run } = makeShut(`${link}; chmod 311 ${directory}`)
      const { code, stderr } = await run('echo evil >> scripts/pc')
      expect([code, stderr]).toEqual([125, expect.stringContaining('can be entered but not listed')])
      expect(readFileSync(join(cwd, 'scripts/pc'), 'utf8')).not.toContain('evil')
    },
  )

  it.skipIf(cannotShut)('not: that cannot be entered either', async () => {
    const { run } = makeShut('mkdir .vscode; chmod 000 .vscode')
    expect(await run('echo x > made')).toMatchObject({ code: 0 })
  })
})
