import { execFileSync } from 'node:child_process'
import { chmodSync, chownSync, readdirSync, readFileSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { inside, nodeMounts } from '../../../../src/sandbox/docker/mounts.ts'
import { makeDirectory, openTestShell } from '../../../helpers/place.ts'
import { readable } from '../../../helpers/repository.ts'
import { runToEnd } from '../dockerd.ts'
import { describeEngine, type TestEngine, testImage } from '../engine.ts'

/** Runs a line by `vitrine run --mode workspace` inside of a container, as a user, in a directory that is mounted writable. */
async function runInside({ engine }: TestEngine, workspace: string, uid: number, line: string) {
  const temporary = makeDirectory()
  chmodSync(temporary, 0o1777)
  await openTestShell({}) // loads the addon, which is mounted
  const mounts = [
    ...nodeMounts(),
    { source: realpathSync(readable), target: '/vitrine', writable: false },
    { source: workspace, target: workspace, writable: true },
    { source: temporary, target: '/tmp', writable: true },
  ]
  const loaded = [inside.loader, '--library-path', inside.libraries, inside.node]
  const vitrine = [...loaded, '/vitrine/dist/cli.cjs', 'run', '--timeout', '20s', '--mode', 'workspace', '--']
  const body = {
    Image: testImage,
    Cmd: ['/bin/sh', '-c', '"$@" > /tmp/stdout 2> /tmp/stderr', 'sh', ...vitrine, line],
    Env: ['HOME=/tmp'],
    User: `${uid}:${uid}`,
    WorkingDir: workspace,
    NetworkDisabled: true,
    HostConfig: {
      Init: true,
      ReadonlyRootfs: true,
      CapDrop: ['ALL'],
      SecurityOpt: ['no-new-privileges'],
      Mounts: mounts.map(({ source, target, writable }) => ({
        Type: 'bind',
        Source: source,
        Target: target,
        ReadOnly: !writable,
      })),
    },
  }
  const exitCode = await runToEnd(engine, body)
  const output = (name: string) => readFileSync(join(temporary, name), 'utf8')
  return { stdout: output('stdout'), stderr: output('stderr'), exitCode }
}

describeEngine('vitrine inside of a container, workspace mode', (engine) => {
  function repositoryOf(uid: number): string {
    const workspace = realpathSync(makeDirectory())
    execFileSync('git', ['init', '-q', workspace])
    execFileSync('chown', ['-R', `${uid}:${uid}`, workspace])
    chownSync(workspace, uid, uid)
    return workspace
  }

  it.each([
    ['root', 0],
    ['an ordinary user', 65_534],
  ])('changes the workspace, and nothing that is protected: %s', async (_, uid) => {
    const workspace = repositoryOf(uid)
    const config = readFileSync(join(workspace, '.git/config'), 'utf8')
    const before = readdirSync(join(workspace, '.git')).sort()
    const allowed =
      'umask 027; echo x > file && mkdir -p a/b && mv file a/b && echo y > .git/index && echo z > "$TMPDIR/t"'
    const refused = [
      'echo x > .envrc',
      'mkdir .vscode',
      'mkdir -p d/workflows; mv d .github',
      'mv .git moved',
      'echo x >> .git/config',
      'rm -r .git/hooks',
      'ln .git/config linked',
      'echo x > /tmp/out',
    ]
    const line = `${allowed} && echo worked; ${refused.map((one) => `( ${one} ) && echo did: '${one.split(';').at(-1)}'`).join('; ')}; exit 7`
    const { stdout, exitCode, stderr } = await runInside(engine(), workspace, uid, line)
    expect({ stdout, exitCode }, stderr).toEqual({ stdout: 'worked\n', exitCode: 7 })
    expect(readFileSync(join(workspace, 'a/b/file'), 'utf8')).toBe('x\n')
    expect(readFileSync(join(workspace, '.git/config'), 'utf8')).toBe(config)
    expect(readdirSync(workspace).sort()).toEqual(['.git', 'a', 'd'])
    expect(readdirSync(join(workspace, '.git')).sort()).toEqual([...before, 'index'].sort())
  })
})
