import { spawnSync } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { connect } from 'node:net'
import { afterAll, describe, expect, it } from 'vitest'
import { makeDirectory } from '../../helpers/place.ts'
import { tcpServer, webServer } from '../surroundings.ts'
import { type Escape, escapes } from './escape-rows.ts'
import { openHostShell } from './surroundings.ts'

/** Counts TCP connections and datagrams on one port of every address. */
async function openVictim() {
  let seen = 0
  const port = await tcpServer((socket) => {
    seen += 1
    socket.end()
  }, '::')
  const datagrams = createSocket('udp6', () => {
    seen += 1
  })
  await new Promise<void>((resolve) => datagrams.bind(port, '::', resolve))
  afterAll(() => datagrams.close())
  /** What came before this call: our own connection and datagram are the last. */
  const count = async () => {
    const before = seen
    connect(port, '127.0.0.1').on('error', () => {})
    datagrams.send('own', port, '::1')
    await expect.poll(() => seen).toBeGreaterThanOrEqual(before + 2)
    return seen - 2
  }
  return { port, count }
}

const victim = await openVictim() // of programs and of names
const inner = await openVictim() // of addresses
const web = await webServer()

const own = [`good.example:${web.port}`, `127.0.0.1:${web.port}`]
const listed = [
  ...own,
  `*.wild.example:${victim.port}`,
  `inner.example:${inner.port}`,
  `127.0.0.1:${victim.port}`,
]
const names = ['evil', 'good', 'xwild', 'wild', 'notgood', 'good.example.evil'].map(
  (name) => `${name}.example`,
)
const everything = [
  ...names.map((name) => `${name}:${victim.port}`),
  ...['inner.example', 'localhost', '127.0.0.1', '[::1]'].map((host) => `${host}:${inner.port}`),
  `127.0.0.1:${victim.port}`,
]

const prelude = `import ctypes, os, select, socket, sys, threading
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
  return {
    argv: [
      'python3',
      '-c',
      prelude + send,
      JSON.stringify(text.replaceAll(':G', `:${web.port}`)).slice(1, -1),
    ],
  }
}

/** False: the program of the row is not installed. */
function canRun(way: Escape): boolean {
  const [program = ''] = 'line' in way ? way.line.split(' ') : ['python3']
  return spawnSync('sh', ['-c', 'command -v "$0"', program]).status === 0
}

describe.each(['read', 'workspace'] as const)('from %s mode, past the list of hosts', (mode) => {
  const cwd = makeDirectory()
  const limited = openHostShell({ mode, cwd, network: listed })
  const open = openHostShell({ mode: 'write', cwd, approver: async () => 'all' })
  const wide = openHostShell({ mode, cwd, network: [...own, ...everything] })

  async function reached(shell: Awaited<typeof limited>, way: Escape, honest: boolean) {
    const before = (await victim.count()) + (await inner.count())
    await shell.execute({
      ...requestOf(way, honest),
      env: { V: String(victim.port), W: String(web.port) },
      timeoutMs: 20_000,
    })
    return (await victim.count()) + (await inner.count()) > before + 4
  }

  it.each(escapes.filter(canRun))(
    '$name leads nowhere, and where it is allowed to its goal',
    { timeout: 60_000 },
    async (way) => {
      expect(await reached(await limited, way, false)).toBe(false)
      expect(await reached('bytes' in way ? await wide : await open, way, true)).toBe(true)
    },
  )
})

it('there are at least 60 escapes', () => {
  expect(escapes.length).toBeGreaterThanOrEqual(60)
})
