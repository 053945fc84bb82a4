import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { syncBuiltinESMExports } from 'node:module'
import { connect } from 'node:net'
import os from 'node:os'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, it, onTestFinished } from 'vitest'
import { isPublic, type Resolver } from '../../src/network/addresses.ts'
import { Gate, Records } from '../../src/network/gate.ts'
import { type Host, parseHost } from '../../src/network/hosts.ts'
import { proxyNotListening } from '../../src/run/hosts.ts'
import { builtLibrary, isInstalled, repository } from '../helpers/programs.ts'
import { listsRefused } from './commands/surroundings.ts'
import { basic, exchange, goodAt, openProxy, patternsOf, proxied, tcpServer } from './surroundings.ts'

function hostOf(text: string): Host {
  const host = parseHost(text)
  if (!host) throw new Error(`no host: ${text}`)
  return host
}

const loopback: Resolver = async () => ['127.0.0.1']

function openGate(allow: readonly string[], options: Partial<ConstructorParameters<typeof Gate>[0]> = {}) {
  const rules = { allow: [patternsOf(allow)], deny: [] }
  const gate = new Gate({ rules, resolver: loopback, ...options })
  onTestFinished(() => gate.close())
  const connect = (host: string, port: number) =>
    gate.connect({ host: hostOf(host), port, client: undefined })
  return { gate, connect }
}

it('a command has 1024 connections at the same time, those that are not open yet included', async () => {
  const { connect } = openGate(['*.example'], { resolver: () => new Promise(() => {}) })
  for (let at = 0; at < 1024; at++) void connect(`h${at}.example`, 443)
  expect(await connect('one-more.example', 443)).toBe('too-many')
})

it('a command that has ended connects to nothing more', async () => {
  let connections = 0
  const port = await tcpServer((socket) => {
    connections += 1
    socket.end()
  })
  const [used, unused] = [openGate(goodAt(port)), openGate(goodAt(port))]
  expect(await used.connect('good.example', port)).toHaveProperty('remotePort', port)
  for (const { gate, connect } of [used, unused]) {
    gate.close()
    expect(await connect('good.example', port)).toBe('unreachable')
  }
  await expect.poll(() => connections).toBe(1)
})

it('a public address is none where this machine has it', () => {
  const address = hostOf('198.41.0.4')
  if (address.kind !== 'address') throw new Error('no address')
  expect(isPublic(address)).toBe(true)
  const { networkInterfaces } = os
  onTestFinished(() => {
    os.networkInterfaces = networkInterfaces
    syncBuiltinESMExports()
  })
  const own = { address: address.name, netmask: '255.255.255.255', family: 'IPv4', mac: '', internal: false }
  os.networkInterfaces = () => ({ eth9: [{ ...own, cidr: null }] }) as ReturnType<typeof networkInterfaces>
  syncBuiltinESMExports()
  expect(isPublic(address)).toBe(false)
})

it.each([
  ['CONNECT', 'CONNECT good.example:443 HTTP/1.1\r\nHost: good.example:443\r\n\r\n'],
  ['a CONNECT to no host', 'CONNECT / HTTP/1.1\r\n\r\n'],
  ['what is no HTTP', '\x05\x01\x00'],
])('lets no refused client occupy it: %s', async (_, text) => {
  const { port, proxy, auth, send } = await proxied(undefined, { maxClients: 1 })
  const socket = connect({ host: '127.0.0.1', port: proxy.port, allowHalfOpen: true })
  socket.on('error', () => {}).write(text, 'latin1')
  await once(socket.resume(), 'end')
  const request = `GET http://good.example:${port}/a HTTP/1.1\r\nHost: good.example:${port}\r\n${auth}Connection: close\r\n\r\n`
  while (!(await send(request)).includes('GET /a')); // never: the test times out
  socket.destroy()
})

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
        message: proxyNotListening('EMFILE').message,
        exitCode: 0,
      })
    })
  },
)

setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')

function heldBytes(): number {
  collectGarbage()
  return process.memoryUsage().heapUsed
}

const open = (records: Records, name: string, reason?: 'not-listed') =>
  records.add({ host: { kind: 'name', name }, port: 443, client: undefined }, reason)

it('a command that asks for ever new hosts fills no memory', () => {
  const records = new Records()
  const ask = (first: number, count: number) => {
    for (let i = first; i < first + count; i++) open(records, `${i}.${'x'.repeat(200)}`, 'not-listed')
  }
  ask(0, 1000)
  const before = heldBytes()
  ask(1000, 50_000)
  expect(heldBytes() - before).toBeLessThan(1_000_000)
  ask(0, 1)
  const [first, ...others] = records.list()
  expect([first?.count, others.length]).toEqual([2, 999])
})

it('tells an allowed connection after many refused ones, and after many hosts of a wildcard', () => {
  const records = new Records()
  for (let i = 0; i < 2000; i++) open(records, `${i}.refused`, 'not-listed')
  for (let i = 0; i < 1000; i++) open(records, 'a.allowed')
  for (let i = 0; i < 1500; i++) open(records, `${i % 500}.allowed`).sent += 1
  const allowed = () =>
    records.list().filter(({ verdict, host }) => verdict === 'allowed' && host !== 'a.allowed')
  expect(allowed().map(({ host }) => host)).toEqual(Array.from({ length: 500 }, (_, i) => `${i}.allowed`))
  expect(allowed().every(({ sent, count }) => sent === 3 && count === 3)).toBe(true)
  for (let i = 0; i < 50_000; i++) open(records, `${i}.wild`).sent += 1
  const told = allowed()
  expect(told).toHaveLength(1001)
  expect(told.at(-1)).toMatchObject({ host: '*', port: 443, count: 49_500, sent: 49_500 })
})
