import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { isInstalled } from '../../../helpers/programs.ts'
import { noPython3, noWorld, openWorld } from './world.ts'

const python = (program: string) => ['python3', '-c', program]

const serveAndAsk = `
import http from 'node:http'
const [host, path] = process.argv.slice(2)
const server = http.createServer((request, response) => response.end('pong'))
server.on('error', (error) => { console.log(error.code); process.exit(1) })
server.listen(path ?? { port: 0, host }, () => {
  const at = path ? { socketPath: path } : { port: server.address().port, host: host === '::1' ? host : '127.0.0.1' }
  http.get(at, (response) => response.on('data', (data) => { console.log(String(data)); server.close() }))
})`

const peers = `
import os, socket, struct
def peer(sock): return struct.unpack('iii', sock.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))
def own(pid): return pid, os.getuid(), os.getgid()
tmp = os.environ['TMPDIR']
for kind in socket.SOCK_STREAM, socket.SOCK_SEQPACKET:
    for path in f'{tmp}/s{int(kind)}', f'here{int(kind)}', f'\\0abstract{os.getpid()}':
        server = socket.socket(socket.AF_UNIX, kind); server.bind(path); server.listen()
        ready, told = os.pipe()
        client = os.fork()
        if client == 0:
            sock = socket.socket(socket.AF_UNIX, kind); sock.connect(path)
            os.write(told, b'yes' if peer(sock) == own(os.getppid()) else b'no')
            sock.recv(1); os._exit(0)
        accepted, _ = server.accept()
        name = server.getsockname()
        print(peer(accepted) == own(client), os.read(ready, 3) == b'yes', path in (name, name if isinstance(name, str) else name.decode()))
        accepted.close(); os.wait()
`

async function openAsking(options: Parameters<typeof openWorld>[0] = {}) {
  const shell = await openWorld(options)
  writeFileSync(join(shell.cwd, 'ask.mjs'), serveAndAsk)
  return shell
}

describe.skipIf(noWorld)('processes of a command reach each other', () => {
  it.each(['127.0.0.1', '0.0.0.0', '::1', '::'])('by HTTP to a server that listens at %s', async (host) => {
    const shell = await openAsking()
    expect(await shell.execute({ argv: ['node', 'ask.mjs', host] })).toMatchObject({
      stdout: 'pong\n',
      denials: [],
    })
  })

  it.each([
    ['in TMPDIR', '$TMPDIR/s'],
    ['in the workspace', 'made.sock'],
    ['deeper in it', 'deep/made.sock'],
  ])('by a unix socket %s', async (_where, path) => {
    const shell = await openAsking()
    const command = `mkdir -p deep; node ask.mjs - ${path}`
    expect(await shell.execute({ command })).toMatchObject({ stdout: 'pong\n', denials: [] })
  })

  it.skipIf(!isInstalled('python3'))(
    'by unix sockets that tell whose they are: SO_PEERCRED, name (needs python3)',
    async () => {
      const shell = await openAsking()
      expect(await shell.execute({ argv: python(peers) })).toMatchObject({
        stdout: 'True True True\n'.repeat(6),
        stderr: '',
        denials: [],
      })
    },
  )

  it('in read mode with a private TMPDIR, and not without', async () => {
    const shell = await openAsking({ mode: 'read' })
    const argv = ['node', 'ask.mjs', '127.0.0.1']
    expect((await shell.execute({ argv, privateTmp: true })).stdout).toBe('pong\n')
    expect((await shell.execute({ argv })).stdout).toBe('EACCES\n')
  })

  it('beside a list of hosts, and beside the whole network', async () => {
    for (const network of [['registry.example'], true]) {
      const shell = await openAsking({ network })
      expect((await shell.execute({ argv: ['node', 'ask.mjs', '0.0.0.0'] })).stdout).toBe('pong\n')
    }
  })

  it('unless own_sockets = false', async () => {
    const shell = await openAsking({ toml: '[shell]\nown_sockets = false\n' })
    expect((await shell.execute({ argv: ['node', 'ask.mjs', '127.0.0.1'] })).stdout).toBe('EACCES\n')
    expect(shell.enforcement).not.toHaveProperty('own sockets')
  })

  it.skipIf(!isInstalled('python3'))(
    'by a pool of processes, in each way to start them (needs python3)',
    async () => {
      const shell = await openAsking()
      writeFileSync(
        join(shell.cwd, 'pool.py'),
        `
import multiprocessing, sys
if __name__ == '__main__':
    print(multiprocessing.get_context(sys.argv[1]).Pool(2).map(abs, [-1, -2]))`,
      )
      const command = 'for way in fork spawn forkserver; do python3 pool.py $way; done'
      expect(await shell.execute({ command })).toMatchObject({ stdout: '[1, 2]\n'.repeat(3), denials: [] })
    },
  )

  it.skipIf(!isInstalled('python3'))('by memory that both have attached (needs python3)', async () => {
    const name = `vitrine-test-${process.pid}`
    const shell = await openAsking()
    const program = `
from multiprocessing import shared_memory
made = shared_memory.SharedMemory(create=True, size=16, name='${name}')
made.buf[:5] = b'hello'
found = shared_memory.SharedMemory('${name}')
print(bytes(found.buf[:5]).decode())
found.close(); made.close(); made.unlink()`
    expect(await shell.execute({ argv: python(program) })).toMatchObject({ stdout: 'hello\n', denials: [] })
    expect(readdirSync('/dev/shm').filter((found) => found.includes(name))).toEqual([])
  })

  it.skipIf(!isInstalled('python3'))('by System V memory, by its key (needs python3)', async () => {
    const shell = await openAsking()
    const program = `
import ctypes, os
libc = ctypes.CDLL(None); libc.shmat.restype = ctypes.c_void_p
made = libc.shmget(0x5654, 4096, 0o1600)
at = libc.shmat(made, None, 0)
if os.fork() == 0:
    ctypes.memmove(libc.shmat(libc.shmget(0x5654, 4096, 0), None, 0), b'hello', 5); os._exit(0)
os.wait(); print(ctypes.string_at(at, 5).decode(), made)`
    const { stdout, denials } = await shell.execute({ argv: python(program) })
    const [text, id] = stdout.trim().split(' ')
    expect({ text, denials }).toEqual({ text: 'hello', denials: [] })
    await shell.close()
    const ids = () =>
      readFileSync('/proc/sysvipc/shm', 'utf8')
        .split('\n')
        .map((line) => line.trim().split(/\s+/)[1])
    await expect.poll(ids, { timeout: 10_000 }).not.toContain(id)
  })

  it.skipIf(!isInstalled('python3'))(
    'while UDP sockets tell of interfaces, and are bound, and nothing else (needs python3)',
    async () => {
      const program = `
import fcntl, socket, struct
for family, host in (socket.AF_INET, '127.0.0.1'), (socket.AF_INET6, '::1'):
    made = socket.socket(family, socket.SOCK_DGRAM)
    index = struct.unpack('16xi20x', fcntl.ioctl(made, 0x8933, struct.pack('16s24x', b'lo')))[0]
    made.bind(('', 0))
    print(index == socket.if_nametoindex('lo'), made.type == socket.SOCK_DGRAM, made.getsockname()[1] > 0)
    for use in (lambda: made.sendto(b'x', (host, 9)), lambda: made.connect((host, 9)), lambda: socket.socket(family, socket.SOCK_DGRAM).bind((host, 0))):
        try: use()
        except PermissionError as error: print(error.errno)`
      for (const [mode, network] of [
        ['workspace', false],
        ['workspace', ['registry.example']],
        ['read', false],
      ] as const) {
        const shell = await openAsking({ mode, network, privateTmp: true })
        const { stdout, stderr, denials } = await shell.execute({ argv: python(program) })
        expect([stdout, stderr]).toEqual(['True True True\n1\n13\n13\n'.repeat(2), ''])
        const told = denials
          .filter(({ address }) => address !== 'unix')
          .map(({ operation, address, syscall }) => [operation, address, syscall])
        const uses = ['sendto', 'connect', 'bind']
        expect(told).toEqual(
          ['inet', 'inet6'].flatMap((family) => uses.map((use) => ['socket', family, use])),
        )
      }
    },
  )
})

describe.skipIf(noPython3)('a server of a command (needs python3)', () => {
  const serve = `
import socket
server = socket.socket(); server.bind(('', 0)); server.listen()
print(server.getsockname()[1], flush=True)
client, _ = server.accept(); client.sendall(b'pong')`
  const ask = (port: string) =>
    python(`import socket; print(socket.create_connection(('127.0.0.1', ${port})).recv(4).decode())`)

  async function startServer(shell: Awaited<ReturnType<typeof openWorld>>) {
    let told = (_port: string) => {}
    const port = new Promise<string>((resolve) => {
      told = resolve
    })
    const ended = shell.execute(
      { argv: python(serve) },
      { onOutput: (_stream, chunk) => told(String(chunk).trim()) },
    )
    return { port: await port, ended }
  }

  it('is in the result: address, port, process and program', async () => {
    const shell = await openWorld()
    const { port, ended } = await startServer(shell)
    await shell.execute({ argv: ask(port) })
    const { listening } = await ended
    const where = { address: '0.0.0.0', port: Number(port), program: 'python3', pid: expect.any(Number) }
    expect(listening).toEqual([where])
  })

  it('is in the result once for each address and port, and for no client', async () => {
    const shell = await openWorld()
    const many = `
import socket
for family, address in ((socket.AF_INET, '127.0.0.1'), (socket.AF_INET6, '::1')):
    server = socket.socket(family); server.bind((address, 0)); server.listen(); server.listen(5)
    socket.create_connection(server.getsockname()[:2])
try: socket.socket().bind(('127.0.0.1', server.getsockname()[1]))
except OSError: pass`
    const { listening, stderr } = await shell.execute({ argv: python(many) })
    expect({ stderr, at: listening.map(({ address }) => address) }).toEqual({
      stderr: '',
      at: ['127.0.0.1', '::1'],
    })
  })

  it('is left out behind the first 32', async () => {
    const shell = await openWorld()
    const many = `
import socket
servers = [socket.create_server(('127.0.0.1', 0)) for _ in range(40)]
print(*(server.getsockname()[1] for server in servers))`
    const { listening, stdout } = await shell.execute({ argv: python(many) })
    expect(listening.map(({ port }) => port)).toEqual(stdout.trim().split(' ').slice(0, 32).map(Number))
  })

  it('is reached by other commands of its shell', async () => {
    const shell = await openWorld()
    const { port, ended } = await startServer(shell)
    expect((await shell.execute({ argv: ask(port) })).stdout).toBe('pong\n')
    expect((await ended).exitCode).toBe(0)
  })

  it('is not reached by those of another shell, which are told its address', async () => {
    const [shell, other] = [await openWorld(), await openWorld()]
    const { port, ended } = await startServer(shell)
    const refused = await other.execute({ argv: ask(port) })
    expect(refused.denials).toMatchObject([{ operation: 'connect', address: `127.0.0.1:${port}`, count: 1 }])
    expect((await shell.execute({ argv: ask(port) })).stdout).toBe('pong\n')
    await ended
  })
})
