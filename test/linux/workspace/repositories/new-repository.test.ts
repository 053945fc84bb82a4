import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, lstatSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { tried } from '../../../../src/base/errno.ts'
import { gitEnvironment } from '../../../helpers/git.ts'
import { openTestShell } from '../../../helpers/place.ts'
import { waitFor } from '../../../helpers/processes.ts'
import { isInstalled } from '../../../helpers/programs.ts'
import { makePlace, plantedIn, prepared } from './new-place.ts'

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

/** A registry that has one package, `create-thing`, and `npm create thing` from it. */
const creating = `
const { readFileSync } = require('node:fs')
const tarball = readFileSync(__dirname + '/thing.tgz')
const server = require('node:http').createServer(({ url }, answer) => {
  const at = 'http://127.0.0.1:' + server.address().port
  const version = { name: 'create-thing', version: '1.0.0', bin: 'run.js', dist: { tarball: at + '/thing.tgz' } }
  const document = { name: 'create-thing', 'dist-tags': { latest: '1.0.0' }, versions: { '1.0.0': version } }
  answer.end(url.endsWith('.tgz') ? tarball : JSON.stringify(document))
}).listen(0, '127.0.0.1', () => {
  const words = ['create', '-y', 'thing', '--registry', 'http://127.0.0.1:' + server.address().port]
  const npm = require('node:child_process').spawn('npm', words, { stdio: 'inherit' })
  npm.on('close', (code) => process.exit(code))
})`

/** Its package makes what scaffolds make. */
const thing = `
mkdir -p ../registry/package; cd ../registry
echo '{ "name": "create-thing", "version": "1.0.0", "bin": "run.js" }' > package/package.json
printf '#!/bin/sh\nset -e\nnpm init -y > /dev/null; git init -q; git add -A; git commit -qm first\n' > package/run.js
chmod +x package/run.js; tar czf thing.tgz package`

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

  it('is filled by npm create', async () => {
    const { cwd, open } = makePlace(thing)
    writeFileSync(join(cwd, '../registry/create.cjs'), creating)
    const command = 'npm_config_audit=false npm_config_cache=$TMPDIR/npm node ../registry/create.cjs'
    const result = await (await open('workspace')).execute({ command, timeoutMs: 60_000 })
    expect(result.exitCode, result.output).toBe(0)
    expect(git(cwd, 'log', '--format=%s', '--', 'package.json')).toBe('first\n')
  })

  it('tells what else is new beside the repository', async () => {
    const { open } = makePlace()
    const command = `git init -q; echo '{"scripts":{"postinstall":"x"}}' > package.json; mkdir -p s; echo x > s/.envrc`
    const { handoffs } = await (await open('workspace')).execute({ command })
    expect(handoffs.map(({ kind }) => kind)).toEqual(['repository', 'script', 'environment'])
  })

  it('is made without a question about what is protected', async () => {
    const { cwd, home } = makePlace()
    const asked: string[] = []
    const approver = async (_: unknown, { reason }: { reason: string }) => {
      asked.push(reason)
      return 'no' as const
    }
    const toml = '[workspace]\non_protected = "ask"'
    const shell = await openTestShell({ cwd, mode: 'workspace', toml, approver, env: gitEnvironment(home) })
    const command = 'git init -q; rm -r .git; git init -q; git config a.program x'
    expect((await shell.execute({ command })).exitCode).not.toBe(0)
    expect(asked).toEqual([expect.stringContaining(join(cwd, '.git/config'))])
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

  it('is not shut to its user', async () => {
    const { cwd, open } = makePlace()
    const shell = await open('workspace')
    const directories = '.git .git/hooks .git/info .git/branches .github'
    const command = `git init -q; mkdir .github; for at in ${directories}; do chmod 311 $at; chmod 600 $at; done; chmod 0 .git/config`
    const { denials } = await shell.execute({ command })
    expect(denials.reduce((sum, { count }) => sum + count, 0)).toBe(11)
    expect((await shell.execute({ command: 'git status && chmod 700 .github' })).exitCode).toBe(0)
    expect(lstatSync(join(cwd, '.github')).mode & 0o777).toBe(0o700)
  })

  it('stays as another program makes it while a command runs', async () => {
    const { cwd, open } = makePlace()
    const shell = await open('workspace')
    const act = 'rm .git/config; git config user.name x; chmod +x .git/config; echo > done'
    const wait = 'echo > ready; while ! [ -e go ]; do sleep 0.01; done'
    const running = shell.execute({ command: `git init -q; rm -r .git; ${wait}; ${act}` })
    expect(await waitFor(() => existsSync(join(cwd, 'ready')))).toBe(true)
    git(cwd, 'init', '-q')
    git(cwd, 'config', 'core.hooksPath', 'x')
    const before = leftIn(cwd)
    writeFileSync(join(cwd, 'go'), '')
    await running
    expect({ ...leftIn(cwd), status: '', tree: [] }).toEqual({ ...before, status: '', tree: [] })
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

describe.runIf(isLinux)('a new git directory names no program', () => {
  it('while it runs, by a command beside it, or once that has ended', async () => {
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
