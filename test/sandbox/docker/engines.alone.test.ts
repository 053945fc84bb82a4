import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { Home } from '../../cli/vitrine.ts'
import { makeDirectory, openTestShell } from '../../helpers/place.ts'
import { describeEngine, dockerToml } from './engine.ts'

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

const open = (env: NodeJS.ProcessEnv) =>
  openTestShell({ cwd: makeDirectory(), backend: 'docker', toml: dockerToml(), env: { ...none, ...env } })

/** No engine is named. */
const none = { DOCKER_HOST: '', DOCKER_CONTEXT: '', DOCKER_CONFIG: '' }

describe('an engine that is not on this machine is refused, with the reason', () => {
  it.each(['tcp://192.0.2.1:2375', 'ssh://me@192.0.2.1'])('DOCKER_HOST = %s', async (host) => {
    await expect(open({ DOCKER_HOST: host })).rejects.toMatchObject({
      code: 'SANDBOX_UNAVAILABLE',
      refusal: { for: 'docker', got: `DOCKER_HOST = ${host}` },
    })
  })

  it.each(['tcp://192.0.2.1:2375', 'ssh://me@192.0.2.1'])('a context with %s', async (host) => {
    const DOCKER_CONFIG = contextDirectory('far', host, 'far')
    await expect(open({ DOCKER_CONFIG })).rejects.toMatchObject({
      code: 'SANDBOX_UNAVAILABLE',
      refusal: { got: `context "far" = ${host}` },
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
      mkdirSync(join(directory, 'vitrine'), { recursive: true })
      writeFileSync(join(directory, 'vitrine/config.toml'), readFileSync(file))
      mkdirSync(join(directory, '.config/vitrine'), { recursive: true })
      writeFileSync(join(directory, '.config/vitrine/config.toml'), readFileSync(file))
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
