import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { makeDirectory, openTestShell, type TestShellOptions } from '../../helpers/place.ts'
import { describeEngine, openDockerShell } from './engine.ts'

const open = (options: TestShellOptions) =>
  openTestShell({ cwd: makeDirectory(), backend: 'docker', ...options })

describe('without an engine nothing runs, on this machine least of all', () => {
  it('no socket', async () => {
    const path = join(makeDirectory(), 'docker.sock')
    const opening = open({ env: { DOCKER_HOST: `unix://${path}` } })
    await expect(opening).rejects.toMatchObject({
      code: 'SANDBOX_UNAVAILABLE',
      refusal: { for: 'docker', got: `${path}: ENOENT` },
    })
  })

  it('a socket without a listener', async () => {
    const path = join(makeDirectory(), 'docker.sock')
    const server = createServer().listen(path)
    await once(server, 'listening')
    const opening = open({ env: { DOCKER_HOST: `unix://${path}` } })
    server.close()
    server.on('connection', (socket) => socket.destroy())
    await expect(opening).rejects.toMatchObject({ code: 'SANDBOX_UNAVAILABLE' })
  })

  it('a socket of another program', async () => {
    const path = join(makeDirectory(), 'docker.sock')
    const server = createServer((socket) =>
      socket.end('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nhi'),
    ).listen(path)
    await once(server, 'listening')
    await expect(open({ env: { DOCKER_HOST: `unix://${path}` } })).rejects.toMatchObject({
      code: 'SANDBOX_UNAVAILABLE',
      refusal: { for: 'docker', got: expect.stringContaining(path) },
    })
    server.close()
  })

  it.each([
    ['shell.unreadable', '[shell]\nunreadable = ["secrets"]'],
    ['limits.memory_bytes', '[limits]\nmemory_bytes = 1000000'],
    ['limits.cpu_seconds', '[limits]\ncpu_seconds = 1'],
    ['limits.processes', '[limits]\nprocesses = 1'],
    ['limits.open_files', '[limits]\nopen_files = 64'],
  ])('%s is refused: a container does not hold it', async (key, toml) => {
    await expect(open({ toml })).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      refusal: { key, file: expect.stringContaining('config.toml') },
    })
  })

  it('a project cannot choose the backend', async () => {
    const cwd = makeDirectory()
    mkdirSync(join(cwd, '.git'))
    writeFileSync(join(cwd, '.vitrine.toml'), '[shell]\nbackend = "docker"\n')
    const shell = await openTestShell({ cwd })
    expect(shell.config.shell.backend).toBe('local')
    expect(shell.ignored.map(({ key }) => key)).toEqual(['shell.backend'])
  })
})

describeEngine('with an engine', (engine) => {
  it('a missing image is not pulled', async () => {
    const env = { DOCKER_HOST: engine().host }
    await expect(open({ env, toml: '[docker]\nimage = "busybox:9"\n' })).rejects.toMatchObject({
      code: 'SANDBOX_UNAVAILABLE',
      refusal: { for: 'docker', wanted: 'the image busybox:9' },
    })
  })

  it('a workspace in which the socket of the engine lies is refused', async () => {
    const cwd = dirname(engine().socketPath)
    await expect(openDockerShell(engine(), { cwd })).rejects.toMatchObject({
      code: 'SANDBOX_UNAVAILABLE',
      refusal: { for: 'docker', got: expect.stringContaining(`${cwd}, which contains the engine's socket`) },
    })
  })
})
