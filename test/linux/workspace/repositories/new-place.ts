import { execFileSync } from 'node:child_process'
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { tried } from '../../../../src/base/errno.ts'
import type { Shell } from '../../../../src/index.ts'
import { gitEnvironment } from '../../../helpers/git.ts'
import { makeDirectory, openTestShell } from '../../../helpers/place.ts'

/** A repository to clone, beside an empty directory in which commands run. */
export function makePlace(prepare = 'true') {
  const parent = makeDirectory()
  const [cwd, home] = [join(parent, 'project'), join(parent, 'home')]
  for (const directory of [cwd, home]) mkdirSync(directory)
  const library =
    'git init -q ../library; cd ../library; echo x > a; git add a; git commit -qm first; git branch other'
  execFileSync('sh', ['-ec', `(${library}); ${prepare}`], { cwd, env: gitEnvironment(home), stdio: 'pipe' })
  writeFileSync(join(home, '.gitconfig'), '[user]\n\tname = a\n\temail = a@example.org\n')
  const open = (mode: Shell['mode'], toml = '') =>
    openTestShell({
      cwd,
      mode,
      toml,
      env: { ...gitEnvironment(home), XDG_STATE_HOME: join(parent, 'state') },
    })
  return { cwd, home, open }
}

/** What git obeys there, of what the rows below plant. */
export function plantedIn(cwd: string): readonly string[] {
  const at = join(cwd, '.git')
  const status = tried(() => lstatSync(at))
  if (!status) return []
  if (!status.isDirectory()) return ['.git']
  const hooks = tried(() => readdirSync(join(at, 'hooks'))) ?? []
  const found = [
    'commondir',
    'config.worktree',
    'info/attributes',
    'remotes',
    'modules/a/config',
    'branches/a',
  ]
  const config = tried(() => readFileSync(join(at, 'config'), 'utf8')) ?? ''
  return [
    ...found.filter((name) => existsSync(join(at, name))),
    ...hooks.filter((name) => !name.endsWith('.sample')),
    ...['config', 'hooks'].filter((name) => tried(() => lstatSync(join(at, name)))?.isSymbolicLink()),
    ...(config.includes('evil') ? ['config'] : []),
  ]
}

/** A prepared git directory, and a template. */
export const prepared =
  'git init -q --bare evil; git -C evil config core.fsmonitor ./evil; mkdir -p template/hooks; ' +
  'cp evil/config lines; printf evil > evil/hooks/pre-commit; cp evil/hooks/pre-commit template/hooks; chmod +x */hooks/*'
