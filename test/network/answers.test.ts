import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { describeRefusal } from '../../src/messages/refusal.ts'
import { proxyNotListening } from '../../src/messages/sandbox/network.ts'
import { builtLibrary, isInstalled, repository } from '../helpers/programs.ts'
import { listsRefused } from './commands/surroundings.ts'
import { basic, exchange, openProxy, tcpServer } from './surroundings.ts'

describe('what a host answers to a plain request', () => {
  it.each([
    ['status 000', 'HTTP/1.1 000 OK\r\nContent-Length: 0\r\n\r\n', '502'],
    ['status 099', 'HTTP/1.1 099 OK\r\nContent-Length: 0\r\n\r\n', '502'],
    ['a control character in the phrase', 'HTTP/1.1 200 O\u0001K\r\nContent-Length: 0\r\n\r\n', '502'],
    ['another protocol', 'HTTP/1.1 101 S\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\nx', '502'],
    ['no HTTP', 'SSH-2.0-x\r\n', '502'],
    ['a phrase of its own', 'HTTP/1.1 200 Fine\r\nContent-Length: 0\r\n\r\n', '200'],
  ])('harms nothing: %s', async (_name, answer, status) => {
    const port = await tcpServer((socket) => socket.once('data', () => socket.end(answer)))
    const { proxy, gate } = await openProxy({ allow: [`127.0.0.1:${port}`] })
    const head = `GET http://127.0.0.1:${port}/ HTTP/1.1\r\n${basic(gate.secret)}Connection: close\r\n\r\n`
    expect((await exchange(proxy.port, head)).toString().split(' ')[1]).toBe(status)
  })
})

/** What a program of test/fixtures/host/ prints that may open 128 files. */
function withFewDescriptors(name: string): unknown {
  const program = join(repository, 'test/fixtures/host', name)
  const printed = execFileSync('prlimit', ['--nofile=128:128', process.execPath, program, builtLibrary], {
    encoding: 'utf8',
  })
  return JSON.parse(printed)
}

describe.skipIf(listsRefused !== null || !isInstalled('prlimit') || !isInstalled('bash'))(
  'a host without descriptors (needs prlimit, bash)',
  () => {
    it('refuses a connection, and goes on', () => {
      const printed = withFewDescriptors('no-descriptors-to-connect.mjs')
      expect(printed).toMatchObject({ stdout: 'connected\n502\n', exitCode: 0 })
    })

    it('refuses the command for which the proxy cannot listen; the next one runs', () => {
      expect(withFewDescriptors('no-descriptors-to-listen.mjs')).toEqual({
        code: 'SANDBOX_UNAVAILABLE',
        message: describeRefusal({ code: 'SANDBOX_UNAVAILABLE', ...proxyNotListening('EMFILE') }),
        exitCode: 0,
      })
    })
  },
)
