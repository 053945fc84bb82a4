import { execFileSync } from 'node:child_process'
import { chmodSync, chownSync, readdirSync, readFileSync, realpathSync } from 'node:fs'
import { basename, join } from 'node:path'
import { expect, it } from 'vitest'
import { engineFrames } from '../../../../src/sandbox/docker/frames.ts'
import { makeDirectory } from '../../../helpers/place.ts'
import { readable } from '../../../helpers/repository.ts'
import { describeEngine, type TestEngine, testImage } from '../engine.ts'

/** Node of this machine with its libraries, as mounts: the image has none. */
const loader = '/vitrine/loader'
const node = realpathSync(process.execPath)
const libraries = [...execFileSync('ldd', [node], { encoding: 'utf8' }).matchAll(/=> (\/\S+)/g)].map(
  ([, path = '']) => ({ source: realpathSync(path), target: `/vitrine/lib/${basename(path)}` }),
)
const nodeMounts = [
  { source: realpathSync('/lib64/ld-linux-x86-64.so.2'), target: loader },
  { source: node, target: '/vitrine/node' },
  { source: realpathSync(readable), target: '/vitrine/package' },
  ...libraries,
]

const bind = (ReadOnly: boolean) => (mount: { source: string; target: string }) => ({
  Type: 'bind',
  Source: mount.source,
  Target: mount.target,
  ReadOnly,
})

/** Runs a line by `vitrine run --mode workspace` inside of a container, as a user, in a directory that is mounted writable. */
async function runInside({ engine }: TestEngine, workspace: string, uid: number, line: string) {
  const temporary = makeDirectory()
  chmodSync(temporary, 0o1777)
  const vitrine = ['/vitrine/node', '/vitrine/package/dist/cli.cjs', 'run', '--timeout', '20s']
  const { Id } = await engine.call<{ Id: string }>({
    method: 'POST',
    path: '/containers/create',
    body: {
      Image: testImage,
      Cmd: [loader, '--library-path', '/vitrine/lib', ...vitrine, '--mode', 'workspace', '--', line],
      Env: ['HOME=/tmp'],
      User: `${uid}:${uid}`,
      WorkingDir: workspace,
      NetworkDisabled: true,
      HostConfig: {
        Init: true,
        ReadonlyRootfs: true,
        CapDrop: ['ALL'],
        SecurityOpt: ['no-new-privileges'],
        Mounts: [
          ...nodeMounts.map(bind(true)),
          ...[
            { source: workspace, target: workspace },
            { source: temporary, target: '/tmp' },
          ].map(bind(false)),
        ],
      },
    },
  })
  const attach = {
    method: 'POST' as const,
    path: `/containers/${Id}/attach`,
    query: { stream: '1', stdout: '1', stderr: '1' },
  }
  const { socket, head } = await engine.hijack(attach)
  const output = { stdout: '', stderr: '' }
  const frames = engineFrames((stream, bytes) => {
    output[stream] += bytes.toString()
  })
  frames(head)
  socket.on('data', frames)
  const closed = new Promise((resolve) => socket.once('close', resolve))
  await engine.call({ method: 'POST', path: `/containers/${Id}/start` })
  const { StatusCode } = await engine.call<{ StatusCode: number }>({
    method: 'POST',
    path: `/containers/${Id}/wait`,
  })
  socket.end()
  await closed
  return { ...output, exitCode: StatusCode }
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
