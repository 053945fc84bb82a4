import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { Mode } from '../../../../src/base/types.ts'
import { Containers } from '../../../../src/sandbox/docker/containers.ts'
import { Engine } from '../../../../src/sandbox/docker/engine.ts'
import type { ContainerSettings } from '../../../../src/sandbox/docker/spec.ts'
import { makeDirectory } from '../../../helpers/place.ts'
import { startDouble, status, text } from './engine-double.ts'

interface Mount {
  readonly Source: string
  readonly Target: string
  readonly ReadOnly: boolean
  readonly BindOptions: object
}

interface Created {
  readonly User: string
  readonly HostConfig: Readonly<Record<string, unknown>> & {
    readonly Mounts: readonly Mount[]
    readonly Tmpfs: Readonly<Record<string, string>>
  }
  readonly [field: string]: unknown
}

interface Asked {
  readonly container: Created
  readonly exec: Readonly<Record<string, unknown>>
  readonly workspace: string
  readonly listed: string
}

const usual: ContainerSettings = {
  image: 'x',
  network: 'none',
  memory: 1024 ** 3,
  privateTmpBytes: 0,
  user: { uid: 4321, gid: 4321, groups: [7, 8] },
  mounts: [],
}

/** What the engine is asked for by one command of a shell that lists a directory with `:rw`. */
async function askedBy(mode: Mode, given: Partial<ContainerSettings> = {}, fresh = true): Promise<Asked> {
  const { socketPath, asked, bodies, connections } = await startDouble(
    {
      'POST /containers/create': text('{"Id":"c"}'),
      'POST /containers/c/start': status(204),
      'POST /containers/c/exec': text('{"Id":"e"}'),
      'GET /exec/e/json': text('{"Running":false,"ExitCode":0,"Pid":1}'),
      'DELETE /containers/c': status(204),
    },
    // Of another kernel: its mounts are compared with none.
    { 'POST /containers/c/attach': 'another kernel\n\n' },
  )
  const [workspace, listed] = [makeDirectory(), makeDirectory()]
  const containers = new Containers({
    engine: await Engine.connect(socketPath),
    settings: { ...usual, mounts: [{ source: listed, target: '/listed', writable: true }], ...given },
    workspace,
    places: [workspace],
    env: {},
    image: { id: 'x', variables: {} },
  })
  const { signal } = new AbortController()
  const request = { argv: ['ls', '-l'], environment: { A: 'b c' }, cwd: join(workspace, 'in'), stdin: false }
  await containers.exec({ mode, fresh }, signal, request, () => {})
  // The first process of the container ends at the end of its input.
  connections[0]?.once('end', () => connections[0]?.end())
  await containers.close()
  const bodyOf = (key: string) => JSON.parse(bodies[asked.indexOf(key)] ?? '')
  const [container, exec] = [bodyOf('POST /containers/create'), bodyOf('POST /containers/c/exec')]
  return { container, exec, workspace, listed }
}

it.each(['read', 'write'] as const)(
  '%s mode: a container can do no more than its command needs',
  async (mode) => {
    const { HostConfig } = (await askedBy(mode)).container
    expect(HostConfig).toMatchObject({
      CapDrop: ['ALL'],
      SecurityOpt: ['no-new-privileges'],
      Privileged: false,
      IpcMode: 'private',
      ReadonlyRootfs: true,
      NetworkMode: 'none',
      AutoRemove: true,
      RestartPolicy: { Name: 'no' },
    })
    for (const name of ['CapAdd', 'Devices', 'PidMode', 'UsernsMode', 'Binds', 'VolumesFrom'])
      expect(HostConfig).not.toHaveProperty(name)
  },
)

it('the limits of the configuration are those of the container, and there is no swap', async () => {
  const { HostConfig } = (await askedBy('read')).container
  expect(HostConfig).toMatchObject({
    Memory: 1024 ** 3,
    MemorySwap: 1024 ** 3,
    PidsLimit: 1024,
    GroupAdd: ['7', '8'],
  })
})

it.each([
  ['read', true],
  ['write', false],
] as const)(
  '%s mode: the workspace and what is listed with `:rw` are read-only: %s',
  async (mode, isReadOnly) => {
    const { container, workspace, listed } = await askedBy(mode)
    const mounts = container.HostConfig.Mounts.map(({ Source, Target, ReadOnly }) => [
      Source,
      Target,
      ReadOnly,
    ])
    expect(mounts).toEqual([
      [workspace, workspace, isReadOnly],
      [listed, '/listed', isReadOnly],
    ])
  },
)

it('what is listed with `:ro` is read-only in write mode, too', async () => {
  const source = makeDirectory()
  const { container } = await askedBy('write', { mounts: [{ source, target: '/listed', writable: false }] })
  expect(container.HostConfig.Mounts.map(({ ReadOnly }) => ReadOnly)).toEqual([false, true])
})

it('no mount passes further mounts on, in either direction', async () => {
  for (const { BindOptions } of (await askedBy('write')).container.HostConfig.Mounts)
    expect(BindOptions).toEqual({ Propagation: 'rprivate', NonRecursive: true })
})

it.each([usual.user, { uid: 12, gid: 34, groups: [] }, { uid: 65_533, gid: 1, groups: [] }])(
  'a command has the user and group of the shell, and the first process another: %j',
  async (user) => {
    const { container, exec } = await askedBy('read', { user })
    expect(exec['User']).toBe(`${user.uid}:${user.gid}`)
    expect(container.User).toMatch(/^\d+:\d+$/)
    expect(Number.parseInt(container.User, 10)).not.toBe(user.uid)
    expect(Number.parseInt(container.User, 10)).not.toBe(0)
  },
)

it('a command gets its words, variables and directory as they are, and no terminal', async () => {
  const { exec, workspace } = await askedBy('read')
  expect(exec).toMatchObject({
    Cmd: ['ls', '-l'],
    Env: ['A=b c'],
    WorkingDir: join(workspace, 'in'),
    AttachStdin: false,
    AttachStdout: true,
    AttachStderr: true,
    Tty: false,
  })
  expect(exec).not.toHaveProperty('Privileged')
})
