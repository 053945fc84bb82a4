import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { cpSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Environment } from '../../../src/base/types.ts'
import { Home } from '../../cli/vitrine.ts'
import { makeDirectory, openTestShell } from '../../helpers/place.ts'
import { describeEngine, dockerToml, unavailable } from './engine.ts'

/** The client's configuration in a directory of its own, with one context. */
function contextDirectory(name: string, host: string, current?: string): string {
  const directory = makeDirectory()
  const id = createHash('sha256').update(name).digest('hex')
  mkdirSync(join(directory, 'contexts/meta', id), { recursive: true })
  const meta = { Name: name, Metadata: {}, Endpoints: { docker: { Host: host } } }
  writeFileSync(join(directory, 'contexts/meta', id, 'meta.json'), JSON.stringify(meta))
  writeFileSync(join(directory, 'config.json'), JSON.stringify(current ? { currentContext: current } : {}))
  return directory
}

const open = (env: NodeJS.ProcessEnv, toml = dockerToml()) =>
  openTestShell({ cwd: makeDirectory(), backend: 'docker', toml, env: { ...none, ...env } })

/** No engine is named. */
const none = { DOCKER_HOST: '', DOCKER_CONTEXT: '', DOCKER_CONFIG: '' }

describe('without an engine on this machine nothing runs, on this machine least of all', () => {
  const absent = join(makeDirectory(), 'docker.sock')
  const far = ['tcp://192.0.2.1:2375', 'ssh://me@192.0.2.1']
  const refused: readonly (readonly [got: string, env: Environment])[] = [
    [`${absent}: ENOENT`, { DOCKER_HOST: `unix://${absent}` }],
    ...far.map((host) => [`DOCKER_HOST = ${host}`, { DOCKER_HOST: host }] as const),
    ...far.map((host) => {
      return [`context "far" = ${host}`, { DOCKER_CONFIG: contextDirectory('far', host, 'far') }] as const
    }),
  ]
  it.each(refused)('%s', async (got, env) => {
    await expect(open(env)).rejects.toMatchObject(unavailable(got))
  })

  it.each<[what: string, listener: (socket: Socket) => void]>([
    ['that closes what connects', (socket) => socket.destroy()],
    ['of another program', (socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nhi')],
  ])('a socket %s', async (_, listener) => {
    const path = join(makeDirectory(), 'docker.sock')
    const server = createServer(listener).listen(path)
    await once(server, 'listening')
    await expect(open({ DOCKER_HOST: `unix://${path}` })).rejects.toMatchObject(unavailable(path))
    server.close()
  })

  it.each([
    ['shell.unreadable', '[shell]\nunreadable = ["secrets"]'],
    ['limits.memory_bytes', '[limits]\nmemory_bytes = 1000000'],
    ['limits.cpu_seconds', '[limits]\ncpu_seconds = 1'],
    ['limits.processes', '[limits]\nprocesses = 1'],
    ['limits.open_files', '[limits]\nopen_files = 64'],
  ])('%s is refused: a container does not hold it', async (key, toml) => {
    await expect(open({}, toml)).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      refusal: { key, file: expect.stringContaining('config.toml') },
    })
  })
})

const another = existsSync('/var/run/docker.sock') ? 'another engine has the usual socket' : undefined

describeEngine(
  'an engine is found',
  (engine) => {
    const echoes = async (env: NodeJS.ProcessEnv) => {
      const shell = await open(env)
      expect((await shell.execute({ command: 'echo there' })).stdout).toBe('there\n')
      await shell.close()
    }

    it('by the current context', () =>
      echoes({ DOCKER_CONFIG: contextDirectory('mine', engine().host, 'mine') }))

    const places: readonly (readonly [name: string, variable: string, path: string])[] = [
      ['rootless Docker', 'XDG_RUNTIME_DIR', 'docker.sock'],
      ['Docker Desktop', 'HOME', '.docker/run/docker.sock'],
      ['Docker Desktop', 'HOME', '.docker/desktop/docker.sock'],
      ['Colima', 'HOME', '.colima/default/docker.sock'],
      ['Colima', 'COLIMA_HOME', 'default/docker.sock'],
      ['Colima', 'XDG_CONFIG_HOME', 'colima/default/docker.sock'],
      ['rootless Podman', 'XDG_RUNTIME_DIR', 'podman/podman.sock'],
      ['Podman machine', 'HOME', '.local/share/containers/podman/machine/podman.sock'],
    ]

    it.each(places)("at %s's socket, which is named: %s/%s", async (name, variable, path) => {
      const home = new Home()
      const directory = makeDirectory()
      const socket = join(directory, path)
      mkdirSync(dirname(socket), { recursive: true })
      symlinkSync(engine().socketPath, socket)
      const file = home.configure(`[shell]\nbackend = "docker"\n${dockerToml()}`)
      for (const at of ['vitrine', '.config/vitrine'])
        cpSync(dirname(file), join(directory, at), { recursive: true })
      const env = { ...none, XDG_RUNTIME_DIR: '', [variable]: directory }
      if (variable === 'HOME') Object.assign(env, { XDG_CONFIG_HOME: '' })
      const ran = await home.run(['run', '--backend', 'docker', '--', 'echo there'], { env })
      expect(ran).toMatchObject({ code: 0, stdout: 'there\n' })
      const docker = JSON.parse((await home.run(['docker', 'status', '--json'], { env })).stdout)
      expect(docker.sockets).toEqual([{ name, path: socket, api: engine().engine.api }])
      expect(docker.engine.socket).toBe(socket)
    })
  },
  another,
)
