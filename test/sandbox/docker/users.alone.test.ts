import { execFileSync } from 'node:child_process'
import { chmodSync, chownSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { makeDirectory } from '../../helpers/place.ts'
import { importImage, missingEngine, openDockerShell, startEngine, type TestEngine } from './engine.ts'

const missing = missingEngine()
const skipped = missing === null ? '' : ` (skipped: ${missing})`
const other = 4711

/** Stands in for git in an image of busybox: says who would commit, and has a configuration of its own. */
const git = `#!/bin/sh
[ "$1" = config ] && { grep -q "^$2=" /tmp/own-git 2>/dev/null || grep -q "^$2=" own-git 2>/dev/null; exit; }
echo "$GIT_AUTHOR_NAME <$GIT_AUTHOR_EMAIL> $GIT_COMMITTER_NAME <$GIT_COMMITTER_EMAIL>"
`
const image = 'vitrine-test-git:1'

describe.skipIf(missing !== null)(`users, groups and git in a container${skipped}`, () => {
  let engine: TestEngine
  const home = makeDirectory()
  beforeAll(async () => {
    engine = await startEngine()
    await importImage(engine.engine, dirname(engine.socketPath), image, { 'bin/git': git })
    writeFileSync(join(home, '.gitconfig'), '[user]\n\tname = A Host\n\temail = host@example.org\n')
  })

  it.each(['read', 'write'] as const)(
    'whoami answers, in an image without the account, too: %s mode',
    async (mode) => {
      const shell = await openDockerShell(engine, { mode, toml: `user = "${other}:${other}"\n` })
      expect(await shell.execute({ command: 'whoami' })).toMatchObject({ exitCode: 0, stdout: 'vitrine\n' })
      expect((await shell.execute({ command: 'id -u; id -g' })).stdout).toBe(`${other}\n${other}\n`)
    },
  )

  it('supplementary groups of this process are those of commands', async () => {
    const library = join(process.cwd(), 'dist/index.js')
    const directory = makeDirectory()
    const config = join(directory, 'config.toml')
    writeFileSync(config, `[docker]\nimage = "vitrine-test:1"\n`)
    const script = `process.setgroups([0, 4801, 4802])
const { openShell } = await import(${JSON.stringify(library)})
const shell = await openShell({ backend: 'docker', cwd: ${JSON.stringify(directory)}, config: ${JSON.stringify(config)}, mode: 'write' })
console.log((await shell.execute({ command: 'id -G' })).stdout)
await shell.close()`
    const env = { ...process.env, DOCKER_HOST: engine.host, HOME: directory, XDG_STATE_HOME: directory }
    const said = execFileSync(process.execPath, ['--input-type=module', '-e', script], {
      env,
      encoding: 'utf8',
    })
    expect(said.trim().split(' ').sort()).toEqual(['0', '4801', '4802'])
  })

  it.each([
    ['owner', 'owner'],
    ['an id', String(other)],
  ])("a root host writes in another user's workspace as that user: %s", async (_, user) => {
    const cwd = makeDirectory()
    chmodSync(cwd, 0o755)
    chownSync(cwd, other, other)
    const usual = await openDockerShell(engine, { cwd, mode: 'write' })
    expect((await usual.execute({ command: 'echo x > file' })).exitCode).not.toBe(0)
    const shell = await openDockerShell(engine, { cwd, mode: 'write', toml: `user = "${user}"\n` })
    expect((await shell.execute({ command: 'echo x > file' })).exitCode).toBe(0)
    expect(statSync(join(cwd, 'file'))).toMatchObject({ uid: other, gid: other })
  })

  const openWithMounts = (mounts: readonly string[], mode: 'read' | 'write' = 'write') =>
    openDockerShell(engine, { mode, toml: `mounts = ${JSON.stringify(mounts)}\n`, env: { HOME: home } })

  it('mounts in HOME are shown in HOME, read-only unless rw is said', async () => {
    const [elsewhere, cache] = [makeDirectory(), join(home, '.cache/pip')]
    mkdirSync(cache, { recursive: true })
    writeFileSync(join(cache, 'kept'), 'cached')
    writeFileSync(join(elsewhere, 'file'), 'as it was')
    const shell = await openWithMounts([`${cache}:rw`, join(home, '.gitconfig'), elsewhere])
    const command = `cat ~/.cache/pip/kept; grep -c Host ~/.gitconfig; cat ${elsewhere}/file; echo new > ~/.cache/pip/new; echo x > ~/.cache/beside`
    expect(await shell.execute({ command })).toMatchObject({ exitCode: 0, stdout: 'cached1\nas it was' })
    expect(readFileSync(join(cache, 'new'), 'utf8')).toBe('new\n')
    for (const file of ['~/.gitconfig', `${elsewhere}/file`])
      expect((await shell.execute({ command: `echo x >> ${file}` })).stderr).toContain(
        'Read-only file system',
      )
    shell.mode = 'read'
    expect((await shell.execute({ command: 'echo x > ~/.cache/pip/new' })).exitCode).not.toBe(0)
    expect(readFileSync(join(cache, 'new'), 'utf8')).toBe('new\n')
  })

  it.each([
    ['one that does not exist', () => join(home, 'nosuch')],
    ["one with the engine's socket", () => dirname(engine.socketPath)],
  ])('%s is refused', async (_, path) => {
    const running = openWithMounts([path()]).then((shell) => shell.execute({ command: 'true' }))
    await expect(running).rejects.toMatchObject({
      code: 'SANDBOX_UNAVAILABLE',
      refusal: { for: 'docker', got: expect.stringContaining(path()) },
    })
  })
})
