import { spawnSync } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { networkInterfaces } from 'node:os'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { tried } from '../../../src/base/errno.ts'
import type { Shell } from '../../../src/index.ts'
import { makeDirectory } from '../../helpers/place.ts'
import { goodAt, tcpServer, webServer } from '../surroundings.ts'
import { type Escape, escapes } from './escape-rows.ts'
import { listsRefused, openHostShell } from './surroundings.ts'

const hasIPv6 = Object.values(networkInterfaces()).some((list) =>
  list?.some(({ address }) => address === '::1'),
)

/** Counts TCP connections and datagrams on one port of every address. */
async function openVictim() {
  let seen = 0
  const port = await tcpServer(
    (socket) => {
      seen += 1
      socket.end()
    },
    hasIPv6 ? '::' : '0.0.0.0',
  )
  const datagrams = createSocket(hasIPv6 ? 'udp6' : 'udp4', () => {
    seen += 1
  })
  await new Promise<void>((resolve) => datagrams.bind(port, resolve))
  afterAll(() => datagrams.close())
  /** What came before this call: our own connection and datagram are the last. */
  const count = async () => {
    const before = seen
    connect(port, '127.0.0.1').on('error', () => {})
    datagrams.send('own', port, hasIPv6 ? '::1' : '127.0.0.1')
    await expect.poll(() => seen).toBeGreaterThanOrEqual(before + 2)
    return seen - 2
  }
  return { port, count }
}

const victim = await openVictim() // of programs and of names
const inner = await openVictim() // of addresses
const web = await webServer()

const own = goodAt(web.port)
const listed = [...own, `*.wild.example:${victim.port}`, `inner.example:${inner.port}`]
/** Where commands have sockets of their own, a listed loopback address is reached without the proxy. */
const listedAddress = `127.0.0.1:${victim.port}`
const names = ['evil', 'good', 'xwild', 'wild', 'notgood', 'good.example.evil'].map(
  (name) => `${name}.example`,
)
const everything = [
  ...names.map((name) => `${name}:${victim.port}`),
  ...['inner.example', 'localhost', '127.0.0.1', '[::1]'].map((host) => `${host}:${inner.port}`),
  `127.0.0.1:${victim.port}`,
]

const prelude = `import ctypes, itertools, os, select, socket, sys, threading
V, P = int(os.environ['V']), int(os.environ.get('HTTP_PROXY', ':' + os.environ['W']).rsplit(':', 1)[1])
libc = ctypes.CDLL(None)
sockaddr = lambda port: b'\\x02\\x00' + port.to_bytes(2, 'big') + bytes([127, 0, 0, 1]) + bytes(8)
socket.setdefaulttimeout(5)
def made(*kind):
    try: return socket.socket(*kind)
    except OSError: return None
s, s6, udp = made(), made(socket.AF_INET6), made(socket.AF_INET, socket.SOCK_DGRAM)
`

const send = `import base64
secret = os.environ['HTTP_PROXY'].split('//')[1].split('@')[0].encode()
text = sys.argv[1].encode().decode('unicode_escape').encode()
s.connect(('127.0.0.1', P))
s.sendall(text.replace(b'AUTH', b'Proxy-Authorization: Basic ' + base64.b64encode(secret)))
s.settimeout(1)
try:
    while s.recv(4096): pass
except OSError: pass
`

function requestOf(way: Escape, honest: boolean) {
  if ('line' in way) return { command: way.line }
  if ('python' in way) return { argv: ['python3', '-c', prelude + way.python] }
  const bytes = (honest && way.honest) || way.bytes
  const text = bytes.replaceAll(':N', `:${victim.port}`).replaceAll(':A', `:${inner.port}`)
  const sent = JSON.stringify(text.replaceAll(':G', `:${web.port}`)).slice(1, -1)
  return { argv: ['python3', '-c', prelude + send, sent] }
}

function isOn(setting: string, bit: number): boolean {
  return (Number(tried(() => readFileSync(`/proc/sys/net/${setting}`, 'utf8')) ?? 0) & bit) !== 0
}

/** What the control of a row needs, by what its text shows: ip-sysctl and mptcp-sysctl in the kernel's documentation. */
const needed = [
  { shown: /::|s6\.|INET6/, is: hasIPv6, why: 'there is no IPv6 on loopback' },
  { shown: /FASTOPEN|\(6, 30/, is: isOn('ipv4/tcp_fastopen', 1), why: 'TCP fast open is off' },
  { shown: /STREAM, 262/, is: isOn('mptcp/enabled', 1), why: 'there is no MPTCP' },
]

/** Why a row cannot be tried here. */
function missing(way: Escape): string | undefined {
  const [program = ''] = 'line' in way ? way.line.split(' ') : ['python3']
  if (spawnSync('sh', ['-c', 'command -v "$0"', program]).status !== 0) return `${program} is not installed`
  return needed.find(({ shown, is }) => !is && shown.test(JSON.stringify(way)))?.why
}

describe.skipIf(listsRefused !== null).each(['read', 'workspace'] as const)(
  'from %s mode, past the list of hosts',
  (mode) => {
    const cwd = makeDirectory()
    let limited: Shell
    let direct: Shell
    let open: Shell
    let wide: Shell
    beforeAll(async () => {
      limited = await openHostShell({ mode, cwd, network: [...listed, listedAddress] })
      direct = await openHostShell({ mode, cwd, network: listed })
      open = await openHostShell({ mode: 'write', cwd, approver: async () => 'all' })
      wide = await openHostShell({ mode, cwd, network: [...own, ...everything] })
    })

    async function reached(shell: Shell, way: Escape, honest: boolean) {
      const before = (await victim.count()) + (await inner.count())
      await shell.execute({
        ...requestOf(way, honest),
        env: { V: String(victim.port), W: String(web.port) },
        timeoutMs: 20_000,
      })
      return (await victim.count()) + (await inner.count()) > before + 4
    }

    it.for(escapes)(
      '$name leads nowhere, and where it is allowed to its goal',
      { timeout: 60_000 },
      async (way, { skip }) => {
        const why = missing(way)
        skip(why !== undefined, why)
        expect(await reached('bytes' in way ? limited : direct, way, false)).toBe(false)
        expect(await reached('bytes' in way ? wide : open, way, true)).toBe(true)
      },
    )
  },
)

it('there are at least 60 escapes', () => {
  expect(escapes.length).toBeGreaterThanOrEqual(60)
})
