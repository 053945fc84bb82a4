import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { hintBehind } from '../../../../src/base/hint.ts'
import type { Result } from '../../../../src/base/types.ts'
import { Home } from '../../../cli/vitrine.ts'
import { makeDirectory } from '../../../helpers/place.ts'
import { isInstalled } from '../../../helpers/programs.ts'
import { connect, eras } from '../../../mcp/connect.ts'
import { noWorld, openWorld, serve } from './world.ts'

const setting = '[shell]\nown_sockets = false\n'
const listen = (at: string) => [
  'node',
  '-e',
  `require('net').createServer().listen(${at}, () => process.exit())`,
]

function remedyOf(result: Result) {
  const hint = hintBehind(result)
  expect(result.hint).toBe(hint?.sentence)
  return hint?.remedy
}

describe.skipIf(noWorld)('the hint of a command with sockets of its own', () => {
  it.each(['127.0.0.1', '::1'])('names address and port of another service at %s', async (host) => {
    const { port } = await serve(host)
    const address = host === '::1' ? `[::1]:${port}` : `${host}:${port}`
    const connect = `require('net').connect(${port}, '${host}')`
    for (const network of [false, ['registry.example']]) {
      const result = await (await openWorld({ network })).execute({ argv: ['node', '-e', connect] })
      expect(result.denials).toMatchObject([{ operation: 'connect', address }])
      expect(remedyOf(result)).toMatchObject({ kind: 'service' })
      expect(result.hint).toContain(`list ${address} in [shell] network`)
    }
  })

  it('is right: what it names reaches the service', async () => {
    const { port } = await serve('127.0.0.1')
    const connect = `require('net').connect(${port}, '127.0.0.1', () => process.exit())`
    for (const network of [true, [`127.0.0.1:${port}`]]) {
      const shell = await openWorld({ network })
      const argv = ['node', '-e', connect]
      expect(await shell.execute({ argv })).toMatchObject({ exitCode: 0, denials: [] })
    }
  })

  it('says that services on unix sockets are out of reach', async () => {
    const path = join(makeDirectory(), 'service.sock')
    await serve(path)
    const result = await (await openWorld()).execute({
      argv: ['node', '-e', `require('net').connect('${path}')`],
    })
    expect(result.denials).toMatchObject([{ operation: 'connect', address: path }])
    expect(hintBehind(result)).toMatchObject({
      instead: { kind: 'local-services' },
      remedy: { kind: 'write' },
    })
  })

  it('does not name [workspace] writable for what it cannot open', async () => {
    const result = await (await openWorld()).execute({ command: 'mkdir /dev/shm/vitrine-test' })
    expect(remedyOf(result)).toMatchObject({ kind: 'write' })
  })
})

describe.skipIf(noWorld)('the hint of a command without sockets of its own', () => {
  const tries: [string, { readonly argv: readonly string[] } | { readonly command: string }, boolean][] = [
    ['a server', { argv: listen('0') }, true],
    ['a server on a unix socket', { argv: listen('"own.sock"') }, true],
    ['shared memory', { command: ': > /dev/shm/vitrine-test' }, true],
    ['a terminal', { command: 'script -qc true /dev/null' }, isInstalled('script')],
  ]
  for (const [what, request, installed] of tries) {
    it.skipIf(!installed)(`names the setting that shuts ${what}`, async () => {
      const result = await (await openWorld({ toml: setting })).execute(request)
      expect(remedyOf(result)).toMatchObject({ kind: 'own-sockets' })
    })

    it.skipIf(!installed)(`names the private TMPDIR that opens ${what} in read mode`, async () => {
      const shell = await openWorld({ mode: 'read' })
      expect(remedyOf(await shell.execute(request))).toMatchObject({ kind: 'own-sockets' })
      expect(hintBehind(await shell.execute({ ...request, privateTmp: true }))?.remedy.kind).not.toBe(
        'own-sockets',
      )
    })
  }

  it('names the same for a server of a command with a network, but not for UDP', async () => {
    const python = 'import socket; socket.create_server(("127.0.0.1", 0))'
    const shut = await openWorld({ toml: setting, network: true })
    const reading = await openWorld({ mode: 'read', network: true })
    for (const argv of [listen('0'), ['python3', '-c', python]]) {
      expect(remedyOf(await shut.execute({ argv }))).toMatchObject({ kind: 'own-sockets' })
      expect(remedyOf(await reading.execute({ argv }))).toMatchObject({ kind: 'own-sockets' })
    }
    const argv = ['node', '-e', "require('dgram').createSocket('udp4').bind(4099, '127.0.0.1')"]
    expect(remedyOf(await reading.execute({ argv }))).toMatchObject({ kind: 'write' })
  })

  it('names the network for a client', async () => {
    const connect = "require('net').connect(1, '127.0.0.1')"
    const result = await (await openWorld({ toml: setting })).execute({ argv: ['node', '-e', connect] })
    expect(remedyOf(result)).toMatchObject({ kind: 'network' })
  })
})

describe('what a client of MCP is told', () => {
  const serve = `node -e "require('net').createServer().listen(0, '127.0.0.1', function () { console.log(this.address().port); process.exit() })"`

  describe.skipIf(noWorld).each(eras)('a client of the %s era', (era) => {
    it('is told where a command has listened', async () => {
      const home = new Home()
      const project = join(home.directory, 'project')
      execFileSync('git', ['init', '-q', project])
      const { run } = await connect(
        ['--mode', 'workspace', '--approve', 'client', '--cwd', project, '--structured'],
        { home, era },
      )
      const { text, structured } = await run({ command: serve })
      const port = Number.parseInt(text, 10)
      const at = { address: '127.0.0.1', port, pid: expect.any(Number), program: 'node' }
      expect(structured).toMatchObject({ exitCode: 0, listening: [at] })
      expect(text).toMatch(
        new RegExp(`^\\[listened, until it ended, at 127\\.0\\.0\\.1:${port} \\(node, pid \\d+\\)\\]$`, 'm'),
      )
      expect((await run({ command: 'true' })).structured).toMatchObject({ listening: [] })
    })
  })
})
