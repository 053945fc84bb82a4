import { once } from 'node:events'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { VitrineError } from '../../src/errors.ts'
import { linuxSandbox } from '../../src/sandbox/linux.ts'
import { macosSandbox } from '../../src/sandbox/macos.ts'
import { readEverything, type SandboxOptions } from '../../src/sandbox/sandbox.ts'
import { unixSocketsAbi } from '../../src/sandbox/unix-sockets.ts'
import { windowsSandbox } from '../../src/sandbox/windows.ts'
import { makeDirectory, openTestShell } from '../helpers/place.ts'
import { probing, realAddon } from './hosts.ts'

const path = '/run/docker.sock'
const options: SandboxOptions = {
  network: false,
  reads: readEverything,
  privateTmp: false,
  unixSockets: [path],
}
const toml = (...paths: readonly string[]) => `[shell]\nunix_sockets = ${JSON.stringify(paths)}\n`

function thrownBy(start: () => unknown): VitrineError {
  try {
    start()
  } catch (error) {
    if (error instanceof VitrineError) return error
    throw error
  }
  throw new Error('it was not refused')
}

describe.runIf(process.platform === 'linux')('unix_sockets on Linux', () => {
  const { landlockAbi } = realAddon().probe()

  it.runIf(landlockAbi < unixSocketsAbi)(
    'is refused before anything runs, with what the kernel has',
    async () => {
      await expect(openTestShell({ mode: 'read', toml: toml(path) })).rejects.toThrow(
        new RegExp(`unix_sockets.*Landlock ABI 9 \\(Linux 7\\.1\\).*Landlock ABI ${landlockAbi}`),
      )
    },
  )

  it('an empty list asks for nothing', async () => {
    const shell = await openTestShell({ mode: 'read', toml: toml() })
    expect((await shell.execute({ command: 'true' })).exitCode).toBe(0)
  })

  it('write mode does not ask for it', async () => {
    const shell = await openTestShell({ mode: 'write', toml: toml(path) })
    expect((await shell.execute({ command: 'true' })).exitCode).toBe(0)
  })

  it('from ABI 9 on the confinement names the sockets, and enforcement says what is open', () => {
    const probe = { ...realAddon().probe(), landlockAbi: unixSocketsAbi }
    const sandbox = linuxSandbox(probe, () => 0, undefined)
    expect(sandbox.confine(options)).toMatchObject({ sockets: [path], abi: unixSocketsAbi })
    expect(sandbox.enforcement(options)['unix sockets']).toMatchObject({
      enforced: true,
      note: expect.stringContaining(path),
    })
  })

  it.runIf(landlockAbi < unixSocketsAbi)(
    'the addon itself builds no weaker ruleset: nothing runs',
    async () => {
      const directory = makeDirectory()
      const server = createServer((socket) => socket.end('reached'))
      const place = join(directory, 'socket')
      await once(server.listen(place), 'listening')
      const host = probing({ landlockAbi: unixSocketsAbi })
      const shell = await openTestShell({ mode: 'read', host, toml: toml(place) })
      const connect = `require('net').connect(${JSON.stringify(place)}).on('data', (d) => console.log(String(d)))`
      await expect(shell.execute({ argv: [process.execPath, '-e', connect] })).rejects.toMatchObject({
        code: 'SPAWN_FAILED',
      })
      server.close()
    },
  )
})

it('is refused on Windows and macOS, where nothing can open one alone', () => {
  const low = {
    systemDirectory: '',
    integrity: 0x2000,
    error: 0,
    lowered: 0x1000,
    noWriteUp: true,
    held: true,
  }
  expect(thrownBy(() => windowsSandbox(low).confine(options)).message).toMatch(/unix_sockets.*Windows/)
  const tools = { sandboxExec: '/bin/true', log: '/bin/true' }
  expect(thrownBy(() => macosSandbox(tools).confine(options)).message).toMatch(/unix_sockets.*macOS/)
})
