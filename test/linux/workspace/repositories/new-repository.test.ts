import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { tried } from '../../../../src/base/errno.ts'
import type { Shell } from '../../../../src/index.ts'
import { gitEnvironment } from '../../../helpers/git.ts'
import { makeDirectory, openTestShell } from '../../../helpers/place.ts'
import { waitFor } from '../../../helpers/processes.ts'
import { isInstalled } from '../../../helpers/programs.ts'

/** A repository to clone, beside an empty directory in which commands run. */
function makePlace(prepare = 'true') {
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

const git = (cwd: string, ...words: readonly string[]) =>
  execFileSync('git', words, {
    cwd,
    encoding: 'utf8',
    env: gitEnvironment(join(cwd, '../home')),
    stdio: 'pipe',
  })

/** What a command left, without the place that it ran in. */
function leftIn(cwd: string) {
  const config = readFileSync(join(cwd, '.git/config'), 'utf8').replaceAll(join(cwd, '..'), '')
  const modes = ['.git/config', '.git/hooks', '.git/hooks/pre-commit.sample'].map(
    (name) => tried(() => lstatSync(join(cwd, name)).mode) ?? 0,
  )
  const names = readdirSync(join(cwd, '.git')).filter((name) => name !== 'index')
  return { config, modes, names, status: git(cwd, 'status', '-sb'), tree: readdirSync(cwd) }
}

const ways = [
  'git init -q',
  'git init -q -b main --object-format=sha256',
  'git init -q --template=',
  'umask 077; git init -q; git config user.name "A B"; git config user.email a@b; git config --unset user.name',
  'git init -q; echo y > f; git add f; git commit -qm second; git checkout -qb new; git tag t; git gc -q',
  'git init -q; git remote add origin git@example.org:a/b.git; git remote rename origin up; git remote remove up',
  'git clone -q ../library .; git checkout -q other; git branch -m other2; git fetch -q; git pull -q --rebase || true',
  'git clone -q -o up --no-tags --depth 1 "file://$PWD/../library" .',
  'git clone -q --filter=blob:none "file://$PWD/../library" .',
  'git clone -q --no-checkout --shared ../library .',
  'git clone -q ../none . || git init -q',
  'git init -q; rm -rf .git; git init -q',
  'git init -q; git commit -q --allow-empty -m x; git worktree add -q tree; git -C tree status -sb',
  'mkdir sub; cd sub; git init -q ..; git init -q .',
  'npm init -y > /dev/null; git init -q && git add -A',
]

const isLinux = process.platform === 'linux'

describe.runIf(isLinux)('a workspace that is no repository', () => {
  it.each(ways)('becomes one as in write mode: %s', async (command) => {
    const places = [makePlace(), makePlace()] as const
    const held = await (await places[0].open('workspace')).execute({ command })
    const open = await (await places[1].open('write')).execute({ command })
    expect(held.exitCode, held.stderr).toBe(open.exitCode)
    expect(leftIn(places[0].cwd)).toEqual(leftIn(places[1].cwd))
    expect(held.handoffs[0]).toEqual({ path: places[0].cwd, kind: 'repository', obeyedBy: 'git' })
  })

  it.runIf(isInstalled('cargo')).each(['cargo init -q --name a', 'cargo new -q a'])(
    '%s works',
    async (command) => {
      const { cwd, open } = makePlace()
      const env = { RUSTUP_HOME: process.env['RUSTUP_HOME'] ?? join(process.env['HOME'] ?? '', '.rustup') }
      const result = await (await open('workspace')).execute({ command, env })
      expect(result).toMatchObject({ exitCode: 0, denials: [] })
      const top = command.includes('new') ? join(cwd, 'a') : cwd
      expect(git(top, 'status', '-s')).toContain('?? Cargo.toml')
      expect(git(top, 'config', 'core.repositoryformatversion')).toBe('0\n')
    },
  )

  it('tells what else is new beside the repository', async () => {
    const { open } = makePlace()
    const command = `git init -q; echo '{"scripts":{"postinstall":"x"}}' > package.json; mkdir -p s; echo x > s/.envrc`
    const { handoffs } = await (await open('workspace')).execute({ command })
    expect(handoffs.map(({ kind }) => kind)).toEqual(['repository', 'script', 'environment'])
  })

  it('is protected as any repository once the command has ended', async () => {
    const { cwd, open } = makePlace()
    const shell = await open('workspace')
    await shell.execute({ command: 'git init -q' })
    const before = leftIn(cwd)
    for (const command of [
      'git config user.name x',
      'echo x > .git/hooks/pre-commit',
      'echo x > .git/hooks/x.sample',
      'rm .git/config',
      'chmod +x .git/config',
    ]) {
      const { denials } = await shell.execute({ command })
      expect(denials[0], command).toMatchObject({ protected: true })
    }
    expect(leftIn(cwd)).toEqual(before)
    expect((await shell.execute({ command: 'git commit -q --allow-empty -m x' })).exitCode).toBe(0)
  })

  it('becomes none where the user protects .git, or below what is left of a bare one', async () => {
    for (const [prepare, toml] of [
      ['true', '[workspace]\nprotected = ["default", ".git"]'],
      ['echo x > HEAD', ''],
    ]) {
      const { cwd, open } = makePlace(prepare)
      const { exitCode } = await (await open('workspace', toml)).execute({ command: 'git init -q' })
      expect([exitCode === 0, existsSync(join(cwd, '.git'))]).toEqual([false, false])
    }
  })
})

/** What git obeys there, of what the rows below plant. */
function plantedIn(cwd: string): readonly string[] {
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
const prepared =
  'git init -q --bare evil; git -C evil config core.fsmonitor ./evil; mkdir -p template/hooks; ' +
  'cp evil/config lines; printf evil > evil/hooks/pre-commit; cp evil/hooks/pre-commit template/hooks; chmod +x */hooks/*'

const py = (text: string) => `python3 -c '${text}'`
const flags = 'os.O_WRONLY | os.O_CREAT | os.O_TRUNC'

const attacks = `
mv evil .git
cp -r evil .git
cp -r evil/. .git
ln -s evil .git
echo gitdir: evil > .git
mkdir .git; mv -T evil .git
mkdir .git; tar cf - -C evil . | tar xf - -C .git
mkdir .git; cp lines .git/config
mkdir .git; mv evil/hooks .git
mkdir .git; ln -s ../evil/hooks .git/hooks
mkdir .git; echo ../evil > .git/commondir
git init -q --separate-git-dir evil .
git init -q --template=template
git init -q; git config core.fsmonitor evil
git init -q; git config core.hooksPath evil
git init -q; git config include.path ../evil
git init -q; git config alias.st !evil
git init -q; git config remote.a.url ext::evil
git init -q; git config remote.a.url ./evil
git init -q; git config branch.main.remote evil
git init -q; git config core.sshCommand evil
git init -q; mv .git x; cat lines >> x/config; mv x .git
git init -q; mv .git x; mv evil .git
git init -q; cat lines >> .git/config
git init -q; cp lines .git/config
git init -q; mv lines .git/config
git init -q; ln -f lines .git/config
git init -q; ln .git/config c; cat lines >> c
git init -q; rm .git/config; mv lines .git/config
git init -q; rm .git/config; ln lines .git/config
git init -q; rm .git/config; ln -s ../lines .git/config
git init -q; rm .git/config; cat lines > .git/config
git init -q; git config extensions.worktreeConfig true; cp lines .git/config.worktree
git init -q; echo x > .git/hooks/pre-commit
git init -q; cp .git/hooks/pre-commit.sample .git/hooks/pre-commit
git init -q; mv .git/hooks/pre-commit.sample .git/hooks/pre-commit
git init -q; ln .git/hooks/pre-commit.sample .git/hooks/pre-commit
git init -q; ln -s ../evil .git/hooks/pre-commit
git init -q; rm -r .git/hooks; mv evil/hooks .git/hooks
git init -q; rm -r .git/hooks; ln -s ../evil/hooks .git/hooks
git init -q; echo '* filter=lfs' > .git/info/attributes
git init -q; mkdir .git/remotes; echo URL: evil > .git/remotes/a
git init -q; echo evil > .git/branches/a
git init -q; mkdir -p .git/modules; mv evil .git/modules/a
git init -q; ${py(`import os; f = open(".git/c", "w"); f.write("[core]\\n" + " " * 99 + "\\n"); f.flush(); os.rename(".git/c", ".git/config"); f.seek(0); f.write("[core]\\nfsmonitor=evil\\n")`)}
git init -q; cp lines .git/c; ${py('import ctypes; ctypes.CDLL(None).syscall(316, -100, b".git/c", -100, b".git/config", 2)')}
git init -q; rm .git/config; ${py(`import os; os.write(os.open(".git/config", ${flags} | os.O_CLOEXEC), b"evil")`)}
git init -q; rm .git/config; ${py(`import os; os.write(os.open(".git/config", ${flags}), b"evil")`)}
git init -q; ${py('import ctypes, os; ctypes.CDLL(None).linkat(-100, b"/proc/self/fd/%d" % os.open(".git/config", 0), -100, b"c", 0x400); open("c", "a").write("evil")')}
git init -q; ${py('import ctypes, os; ctypes.CDLL(None).linkat(os.open(".git/config", 0), b"", -100, b"c", 0x1000); open("c", "a").write("evil")')}
git init -q; ${py('import os; os.chmod(".git/config", 0o666); os.write(os.open("/proc/self/fd/%d" % os.open(".git/config", 0), 1), b"evil")')}
`
  .trim()
  .split('\n')

describe.runIf(isLinux)('a git directory that a command makes is not obeyed for more than data', () => {
  it.each(attacks)('%s', async (command) => {
    const [held, control] = [makePlace(prepared), makePlace(prepared)]
    await (await held.open('workspace')).execute({ command })
    expect(plantedIn(held.cwd)).toEqual([])
    await (await control.open('write')).execute({ command })
    expect(plantedIn(control.cwd)).not.toEqual([])
  })

  it('nor while it runs, by a command beside it, or once that has ended', async () => {
    const { cwd, home, open } = makePlace(prepared)
    const shell = await open('workspace')
    const plant = `for name in config hooks/pre-commit commondir; do cp lines .git/$name; done`
    const wait = 'while ! [ -e done ]; do sleep 0.01; done'
    const first = shell.execute({ command: `echo > ready; ${wait}; ${plant}; echo > second; sleep 60` })
    expect(await waitFor(() => existsSync(join(cwd, 'ready')))).toBe(true)
    const { exitCode } = await shell.execute({
      command: `git init -q; ${plant}; git config core.fsmonitor evil; echo > done`,
    })
    expect(exitCode).toBe(0)
    expect(await waitFor(() => existsSync(join(cwd, 'second')))).toBe(true)
    expect(plantedIn(cwd)).toEqual([])
    writeFileSync(join(cwd, 'evil/program'), `#!/bin/sh\necho x > ${home}/ran\n`, { mode: 0o755 })
    expect(git(cwd, 'status', '-s')).toContain('?? evil/')
    expect(existsSync(join(home, 'ran'))).toBe(false)
    await shell.close()
    await first.catch(() => undefined)
    expect(spawnSync('git', ['fsck'], { cwd, env: gitEnvironment(home) }).status).toBe(0)
  })
})
