import { syncBuiltinESMExports } from 'node:module'
import os from 'node:os'
import { expect, it, onTestFinished } from 'vitest'
import { isPublic, type Resolver } from '../../src/network/addresses.ts'
import { Gate } from '../../src/network/gate.ts'
import { type Host, parseHost } from '../../src/network/hosts.ts'
import { patternsOf, tcpServer } from './surroundings.ts'

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
  expect(await connect('one-more.example', 443)).toEqual({ reason: 'too-many' })
})

it('a command that has ended connects to nothing more', async () => {
  let connections = 0
  const port = await tcpServer((socket) => {
    connections += 1
    socket.end()
  })
  const allow = [`good.example:${port}`, `127.0.0.1:${port}`]
  const [used, unused] = [openGate(allow), openGate(allow)]
  expect(await used.connect('good.example', port)).toHaveProperty('socket')
  for (const { gate, connect } of [used, unused]) {
    gate.close()
    expect(await connect('good.example', port)).toEqual({ reason: 'unreachable' })
  }
  await expect.poll(() => connections).toBe(1)
})

it.each(['10.0.0.1', '169.254.169.254', '127.0.0.1', '::1'])(
  'nothing is asked about %s, which a yes could not open',
  async (address) => {
    const asked: string[] = []
    const ask = async ({ host }: { readonly host: Host }) => {
      asked.push(host.name)
      return true
    }
    const { connect } = openGate(['listed.example'], { ask })
    expect(await connect(address, 443)).toEqual({ reason: 'not-listed' })
    expect(asked).toEqual([])
  },
)

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
