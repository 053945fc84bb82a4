import { execFileSync } from 'node:child_process'
import { chmodSync, chownSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { makeDirectory } from '../../helpers/place.ts'
import { describeEngine, gitMounts, openDockerShell, unavailable } from './engine.ts'

const other = 4711

describeEngine('users, groups and git in a container', (engine) => {
  const home = makeDirectory()
  writeFileSync(join(home, '.gitconfig'), '[user]\n\tname = A \\"B\\" Host\n\temail = host@example.org\n')

  it.each(['read', 'write'] as const)(
    'whoami answers, in an image without the account, too: %s mode',
    async (mode) => {
      const shell = await openDockerShell(engine(), { mode, toml: `user = "${other}:${other}"\n` })
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
    const env = { ...process.env, DOCKER_HOST: engine().host, HOME: directory, XDG_STATE_HOME: directory }
    const said = execFileSync(process.execPath, ['--input-type=module', '-e', script], {
      env,
      encoding: 'utf8',
    })
    expect(said.trim().split(' ').sort()).toEqual(['0', '4801', '4802'])
  })

  it.each(['owner', other])(
    "a root host writes in another user's workspace as that user: %s",
    async (user) => {
      const cwd = makeDirectory()
      chmodSync(cwd, 0o755)
      chownSync(cwd, other, other)
      const usual = await openDockerShell(engine(), { cwd, mode: 'write' })
      expect((await usual.execute({ command: 'echo x > file' })).exitCode).not.toBe(0)
      const shell = await openDockerShell(engine(), { cwd, mode: 'write', toml: `user = "${user}"\n` })
      expect((await shell.execute({ command: 'echo x > file' })).exitCode).toBe(0)
      expect(statSync(join(cwd, 'file'))).toMatchObject({ uid: other, gid: other })
    },
  )

  const openWithMounts = (mounts: readonly string[], mode: 'read' | 'write' = 'write') =>
    openDockerShell(engine(), { mode, toml: `mounts = ${JSON.stringify(mounts)}\n`, env: { HOME: home } })

  it('who commits is who does so on this machine, unless the repository says otherwise', async () => {
    const shell = await openWithMounts(gitMounts())
    const commit = "git commit --allow-empty -qm x && git log -1 --format='%an <%ae> %cn'"
    const command = `git init -q && ${commit} && git config user.name Own && ${commit}`
    const { stdout, stderr } = await shell.execute({ command })
    expect(stdout, stderr).toBe('A "B" Host <host@example.org> A "B" Host\nOwn <host@example.org> Own\n')
  })

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
    ["one with the engine's socket", () => dirname(engine().socketPath)],
  ])('%s is refused', async (_, path) => {
    const running = openWithMounts([path()]).then((shell) => shell.execute({ command: 'true' }))
    await expect(running).rejects.toMatchObject(unavailable(path()))
  })
})
