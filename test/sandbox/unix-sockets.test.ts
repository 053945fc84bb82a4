import { once } from 'node:events'
import { renameSync, symlinkSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { unixSocketsAbi } from '../../src/sandbox/enforcement.ts'
import { linuxSandbox } from '../../src/sandbox/linux.ts'
import { readEverything, type SandboxOptions } from '../../src/sandbox/sandbox.ts'
import type { Shell } from '../../src/shell.ts'
import { makeDirectory, openTestShell } from '../helpers/place.ts'
import { probing, realAddon } from './hosts.ts'

const path = '/run/docker.sock'
const options: SandboxOptions = {
  network: 'none',
  reads: readEverything,
  privateTmp: false,
  unixSockets: [path],
  changes: null,
}
const toml = (...paths: readonly string[]) => `[shell]\nunix_sockets = ${JSON.stringify(paths)}\n`

describe.runIf(process.platform === 'linux')('unix_sockets on Linux', () => {
  const { landlockAbi } = realAddon().probe()

  it.runIf(landlockAbi < unixSocketsAbi)(
    'is refused before anything runs, with what the kernel has',
    async () => {
      await expect(openTestShell({ mode: 'read', toml: toml(path) })).rejects.toMatchObject({
        code: 'SANDBOX_UNAVAILABLE',
        refusal: {
          wanted: expect.stringContaining(`ABI ${unixSocketsAbi} `),
          got: expect.stringContaining(`ABI ${landlockAbi}`),
        },
      })
    },
  )

  it('from ABI 9 on the confinement names the sockets, and enforcement says what is open', () => {
    const probe = { ...realAddon().probe(), landlockAbi: unixSocketsAbi }
    const sandbox = linuxSandbox(probe, () => 0, undefined)
    expect(sandbox.confine(options)).toMatchObject({ sockets: [path], abi: unixSocketsAbi })
    expect(sandbox.enforcement(options)['unix sockets']).toMatchObject({
      enforced: true,
      note: expect.stringContaining(path),
    })
  })

  describe.runIf(landlockAbi >= unixSocketsAbi)('on a kernel that has it', () => {
    let directory: string
    const servers: Server[] = []
    const abstract = `\0vitrine-test-${process.pid}`

    async function serve(address: string): Promise<void> {
      const server = createServer((socket) => socket.on('error', () => {}).end('reached'))
      servers.push(server)
      await once(server.listen(address), 'listening')
    }

    beforeAll(async () => {
      directory = makeDirectory()
      await Promise.all([serve(join(directory, 'open')), serve(join(directory, 'shut')), serve(abstract)])
      symlinkSync('open', join(directory, 'link'))
      symlinkSync('shut', join(directory, 'link-shut'))
    })

    afterAll(() => {
      for (const server of servers) server.close()
    })

    /** What the server there said to a command, or why none was reached; and what was reported. */
    async function connect(shell: Shell, address: string) {
      const text = `process.stdout.write`
      const script = `require('net').connect(${JSON.stringify(address)}).on('data', (d) => ${text}(d)).on('error', (e) => ${text}(e.code))`
      const { stdout, denials } = await shell.execute({ argv: [process.execPath, '-e', script] })
      return [stdout, ...denials.map((denial) => `${denial.operation} ${denial.address}`)]
    }

    const settings = [
      '',
      'network = true\n',
      'private_tmp = true\n',
      'reads = "workspace"\n',
      'unreadable = ["secrets"]\n',
    ]

    it.for(settings)('those that are named are open, and no others: %j', async (more) => {
      const open = join(directory, 'open')
      const shell = await openTestShell({ mode: 'read', toml: `${toml(open)}${more}` })
      expect(await connect(shell, open)).toEqual(['reached'])
      expect(await connect(shell, join(directory, 'link'))).toEqual(['reached'])
      for (const name of ['shut', 'link-shut']) {
        const address = join(directory, name)
        expect(await connect(shell, address)).toEqual(['EACCES', `connect ${address}`])
      }
      expect(await connect(shell, abstract)).toEqual(['EACCES', `connect @${abstract.slice(1)}`])
    })

    it('a server that takes the place of another is open to the next command', async () => {
      const place = join(directory, 'replaced')
      await serve(place)
      const shell = await openTestShell({ mode: 'read', toml: toml(place) })
      expect(await connect(shell, place)).toEqual(['reached'])
      await serve(`${place}-new`)
      renameSync(`${place}-new`, place)
      expect(await connect(shell, place)).toEqual(['reached'])
    })

    it('datagrams, and servers of its own, stay shut', async () => {
      const place = join(directory, 'open')
      const shell = await openTestShell({ mode: 'read', toml: toml(place) })
      const lines = [
        'socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)',
        "socket.socket(socket.AF_UNIX).bind('made')",
        "socket.socket(socket.AF_UNIX).bind('\\0made')",
      ]
      for (const line of lines) {
        const { stderr } = await shell.execute({ argv: ['python3', '-c', `import socket; ${line}`] })
        expect(stderr).toContain('PermissionError')
      }
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
