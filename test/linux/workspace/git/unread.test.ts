import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openTestShell } from '../../../helpers/place.ts'
import { makeProject, type Row, writes } from './projects.ts'

/** What git reads although a stricter parser would not. */
const odd: readonly Row[] = [
  { given: `printf '[core]\\nhooksPath=.gh\\\\' >> .git/config`, path: '.gh' },
  { given: `printf '[core]\\nhooksPath=.gh ""' >> .git/config`, path: '.gh ', command: 'echo x > ".gh "' },
  { given: `printf '[core]\\nhooksPath=.g\\\\\\nh' >> .git/config`, path: '.gh' },
  { given: `printf '[core]hooksPath=".g"h # x' >> .git/config`, path: '.gh' },
  { given: `printf '\\357\\273\\277[core]\\nhooksPath=.gh' > "$HOME/.gitconfig"`, path: '.gh' },
  { given: `printf '[user]\\nname = Jos\\351\\n[core]\\nhooksPath=.gh' > "$HOME/.gitconfig"`, path: '.gh' },
]

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

const linux = describe.runIf(process.platform === 'linux')

linux('a configuration of git that is written unusually', () => {
  it.each(odd)('protects $path: $given', async (row) => {
    expect([await writes(row, 'workspace'), await writes(row, 'write')]).toEqual([false, true])
  })
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
