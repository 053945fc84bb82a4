import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { Mode } from '../../../../src/base/types.ts'
import { makeDirectory } from '../../../helpers/place.ts'
import { startContainers } from './engine-double.ts'

interface Created {
  readonly User: string
  readonly HostConfig: { readonly Mounts: readonly object[] }
}

/** What the engine is asked for by one command of a shell that lists a directory. */
async function askedBy(mode: Mode, { user = { uid: 4321, gid: 4321, groups: [7, 8] }, rw = true } = {}) {
  const listed = makeDirectory()
  const mounts = [{ source: listed, target: '/listed', writable: rw }]
  const { double, containers, workspace } = await startContainers({}, { user, mounts })
  const request = { argv: ['ls', '-l'], environment: { A: 'b c' }, cwd: join(workspace, 'in'), stdin: false }
  await containers.exec({ mode, fresh: true }, new AbortController().signal, request, () => {})
  await containers.close()
  const bodyOf = (key: string) => JSON.parse(double.bodies[double.asked.indexOf(key)] ?? '')
  const container: Created = bodyOf('POST /containers/create')
  const exec = bodyOf('POST /containers/c/exec')
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
  const Memory = 1024 ** 3
  expect(HostConfig).toMatchObject({ Memory, MemorySwap: Memory, PidsLimit: 1024, GroupAdd: ['7', '8'] })
})

it.each([
  ['read', true, [true, true]],
  ['write', true, [false, false]],
  ['write', false, [false, true]],
] as const)('%s mode: workspace and what is listed, `:rw` %s: read-only %j', async (mode, rw, readOnly) => {
  const { container, workspace, listed } = await askedBy(mode, { rw })
  // Further mounts are passed on in neither direction.
  const BindOptions = { Propagation: 'rprivate', NonRecursive: true }
  expect(container.HostConfig.Mounts).toEqual([
    { Type: 'bind', Source: workspace, Target: workspace, ReadOnly: readOnly[0], BindOptions },
    { Type: 'bind', Source: listed, Target: '/listed', ReadOnly: readOnly[1], BindOptions },
  ])
})

it.each([
  { uid: 4321, gid: 4321, groups: [7, 8] },
  { uid: 12, gid: 34, groups: [] },
  { uid: 65_533, gid: 1, groups: [] },
])('a command has the user and group of the shell, and the first process another: %j', async (user) => {
  const { container, exec } = await askedBy('read', { user })
  expect(exec['User']).toBe(`${user.uid}:${user.gid}`)
  expect(container.User).toMatch(/^\d+:\d+$/)
  expect(Number.parseInt(container.User, 10)).not.toBe(user.uid)
  expect(Number.parseInt(container.User, 10)).not.toBe(0)
})

it('a command gets its words, variables and directory as they are, and no terminal', async () => {
  const { exec, workspace } = await askedBy('read')
  expect(exec).toMatchObject({
    ...{ Cmd: ['ls', '-l'], Env: ['A=b c'], WorkingDir: join(workspace, 'in') },
    ...{ AttachStdin: false, AttachStdout: true, AttachStderr: true, Tty: false },
  })
  expect(exec).not.toHaveProperty('Privileged')
})
