import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, realpathSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { nodeMounts } from '../../../../src/sandbox/docker/mounts.ts'
import { makeDirectory, openTestShell, type TestShellOptions } from '../../../helpers/place.ts'
import {
  containersOf,
  describeEngine,
  eventually,
  openDockerShell,
  type TestEngine,
  testImage,
} from '../engine.ts'

const ordinary = 65_534
/** Whether another user can read what is mounted: in a checkout of umask 077 it cannot. */
const isShared = () => nodeMounts().every(({ source }) => (statSync(source).mode & 0o004) !== 0)

/** Makes the test's image with one variable more, in which a blank is escaped. */
async function imageWith({ engine }: TestEngine, variable: string): Promise<string> {
  const body = { Image: testImage, Cmd: ['true'] }
  const { Id } = await engine.call<{ Id: string }>({ method: 'POST', path: '/containers/create', body })
  const repo = 'vitrine-test-variable'
  const query = { container: Id, repo, tag: '1', changes: `ENV ${variable.replace(' ', '\\ ')}` }
  await engine.call({ method: 'POST', path: '/commit', query, body: {} })
  await engine.call({ method: 'DELETE', path: `/containers/${Id}` })
  return `${repo}:1`
}

function makeRepository(uid: number): string {
  const workspace = realpathSync(makeDirectory())
  execFileSync('git', ['init', '-q', workspace])
  execFileSync('chown', ['-R', `${uid}:${uid}`, workspace])
  return workspace
}

describeEngine('workspace mode of the docker backend', (engine) => {
  const open = (options: TestShellOptions = {}) =>
    openDockerShell(engine(), { cwd: makeRepository(0), mode: 'workspace', ...options })

  it('opens the workspace and a private TMPDIR, also for an ordinary user', async ({ skip }) => {
    for (const uid of [0, ordinary]) {
      const shell = await open({ cwd: makeRepository(uid), toml: `user = "${uid}:${uid}"\n` })
      if (!isShared()) skip('other users cannot read this checkout')
      const line =
        'umask 027; id -u; mkdir -p a/b && echo new > a/file && mv a/file a/b && ln -s b a/link && echo x > .git/index; echo t > "$TMPDIR/t" && cat "$TMPDIR/t"; touch .envrc'
      const { stdout, denials } = await shell.execute({ command: line })
      expect(stdout).toBe(`${uid}\nt\n`)
      expect(denials).toMatchObject([
        { operation: 'create', path: join(shell.cwd, '.envrc'), protected: true },
      ])
      const { mode, uid: owner } = statSync(join(shell.cwd, 'a/b/file'))
      expect([mode & 0o777, owner]).toEqual([0o640, uid])
      expect(readdirSync(shell.cwd).sort()).toEqual(['.git', 'a'])
      await shell.close()
    }
  })

  it('takes no container that waits for a command of read mode', async () => {
    const shell = await open({ mode: 'read', privateTmp: false })
    expect((await shell.execute({ command: 'true' })).exitCode).toBe(0)
    shell.mode = 'workspace'
    expect(await shell.execute({ command: 'touch made', privateTmp: false })).toMatchObject({ exitCode: 0 })
    expect(readdirSync(shell.cwd)).toContain('made')
  })

  it('opens no more than the workspace of what the container shows', async () => {
    const other = realpathSync(makeDirectory())
    const shell = await open({ toml: `mounts = ["${other}:rw"]\n[workspace]\nwritable = ["${other}"]\n` })
    expect((await shell.execute({ command: `touch ${other}/x` })).exitCode).not.toBe(0)
    expect(existsSync(join(other, 'x'))).toBe(false)
  })

  it('ends a command at its deadline with everything that it started, and its container', async () => {
    const shell = await open()
    const command = 'echo begun; trap "" TERM; (setsid sleep 600 &) ; sleep 600'
    const result = await shell.execute({ command, timeoutMs: 3000 })
    expect(result).toMatchObject({ timedOut: true, stdout: 'begun\n' })
    const isGone = async () => (await containersOf(engine(), shell.cwd)).length === 0
    await eventually(isGone, 'the container is gone')
  })

  it.each(['the caller', 'the configuration', 'the image'])(
    'runs nothing unconfined that a variable of %s names, and gives it to the command',
    async (source) => {
      const cwd = makeRepository(0)
      const value = `--require ${join(cwd, 'preload.cjs')}`
      const envrc = JSON.stringify(join(cwd, '.envrc'))
      writeFileSync(join(cwd, 'preload.cjs'), `require('fs').writeFileSync(${envrc}, '')`)
      const toml = source === 'the configuration' ? `[env]\nset = { NODE_OPTIONS = "${value}" }\n` : ''
      const image = source === 'the image' ? await imageWith(engine(), `NODE_OPTIONS=${value}`) : testImage
      const shell = await openTestShell({
        ...{ cwd, mode: 'workspace', backend: 'docker', env: { DOCKER_HOST: engine().host } },
        toml: `[docker]\nimage = "${image}"\n${toml}`,
      })
      const env = source === 'the caller' ? { NODE_OPTIONS: value } : {}
      const { stdout } = await shell.execute({ command: 'echo "$NODE_OPTIONS"', env })
      expect(stdout).toBe(`${value}\n`)
      expect(existsSync(join(cwd, '.envrc'))).toBe(false)
    },
  )

  it('does not succeed where the container has no room for what holds it, and says so', async () => {
    const shell = await open({ toml: 'memory = "8m"\n' })
    // The kernel kills the part inside once it runs, or before: then it is SPAWN_FAILED.
    const running = shell.execute({ command: 'touch made' })
    const told = await running.then(
      ({ exitCode, limited }) => ({ exitCode, limited }),
      ({ code }) => code,
    )
    expect([{ exitCode: null, limited: 'memory' }, 'SPAWN_FAILED']).toContainEqual(told)
  })
})
