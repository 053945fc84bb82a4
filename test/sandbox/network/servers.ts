import { execFileSync } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer as createHttp, type RequestListener, type ServerResponse } from 'node:http'
import { createServer as createHttps } from 'node:https'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { networkInterfaces } from 'node:os'
import { join } from 'node:path'

/** Everything that clients talk to, on loopback. */
export interface Servers {
  /** For the words in braces of a client's command. */
  readonly offers: Readonly<Record<string, string>>
  close(): void
}

/** A throw-away authority, and a certificate of it for localhost. */
function makeCertificates(directory: string) {
  const at = (name: string) => join(directory, name)
  const openssl = (...words: readonly string[]) =>
    execFileSync('openssl', words, { stdio: ['ignore', 'ignore', 'pipe'] })
  const fresh = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'] as const
  openssl('req', '-x509', ...fresh, '-keyout', at('ca.key'), '-out', at('ca.pem'), '-subj', '/CN=throw-away')
  openssl('req', ...fresh, '-keyout', at('key'), '-out', at('request'), '-subj', '/CN=localhost')
  writeFileSync(at('names'), 'subjectAltName=DNS:localhost,IP:127.0.0.1,IP:::1')
  const by = ['-CA', at('ca.pem'), '-CAkey', at('ca.key'), '-CAcreateserial'] as const
  const request = ['-in', at('request'), '-extfile', at('names'), '-days', '2'] as const
  openssl('x509', '-req', ...request, ...by, '-out', at('cert'))
  chmodSync(at('ca.pem'), 0o644)
  return { key: readFileSync(at('key')), cert: readFileSync(at('cert')), ca: at('ca.pem') }
}

const packument = {
  name: 'made-up',
  'dist-tags': { latest: '1.2.3' },
  versions: {
    '1.2.3': { name: 'made-up', version: '1.2.3', dist: { tarball: 'http://127.0.0.1/none', shasum: '0' } },
  },
}
const simpleIndex = '<a href="made_up-1.2.3-py3-none-any.whl">made_up-1.2.3-py3-none-any.whl</a>'

function answering(directory: string): RequestListener {
  return (request, response) => {
    const path = request.url ?? '/'
    if (path === '/hello') response.end('hello from loopback\n')
    else if (path.startsWith('/made-up'))
      response.writeHead(200, { 'cache-control': 'no-store' }).end(JSON.stringify(packument))
    else if (path.startsWith('/simple/'))
      response.writeHead(200, { 'content-type': 'text/html' }).end(simpleIndex)
    else if (path.startsWith('/dumb/')) serveFiles(directory, path.slice(5).replace(/\?.*/, ''), response)
    else response.writeHead(404).end()
  }
}

/** Why nothing answers at ::1; null where it can. */
export function missingIpv6(): string | null {
  const loopback = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? [])
  return loopback.some(({ address }) => address === '::1') ? null : 'loopback has no ::1'
}

async function portOf(server: Server, host: string): Promise<number> {
  await once(server.listen(0, host), 'listening')
  return (server.address() as AddressInfo).port
}

/** Greets as an SSH server, says nothing more, and tells by its end what the client has said. */
function greetsAsSsh(): Server {
  return createServer((socket) => {
    socket.on('error', () => {}) // the client goes as it likes
    socket.write('SSH-2.0-vitrine-test\r\n')
    socket.once('data', () => socket.end())
  })
}

async function startEcho(): Promise<{ readonly port: number; close(): void }> {
  const socket = createSocket('udp4')
  socket.on('message', (text, from) => socket.send(text, from.port, from.address))
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  return { port: socket.address().port, close: () => void socket.close() }
}

export async function startServers(directory: string): Promise<Servers> {
  const { key, cert, ca } = makeCertificates(directory)
  const commit = makeRepository(directory)
  const respond = answering(directory)
  const [http, six, tls, ssh] = [
    createHttp(respond),
    createHttp(respond),
    createHttps({ key, cert }, respond),
    greetsAsSsh(),
  ]
  const echo = await startEcho()
  const ports = {
    http: await portOf(http, '127.0.0.1'),
    six: missingIpv6() === null ? await portOf(six, '::1') : 0,
    tls: await portOf(tls, '127.0.0.1'),
    ssh: await portOf(ssh, '127.0.0.1'),
    echo: echo.port,
  }
  return {
    offers: {
      ...Object.fromEntries(Object.entries(ports).map(([name, port]) => [name, String(port)])),
      ca,
      commit,
    },
    close: () => {
      for (const server of [http, six, tls, ssh]) server.close()
      echo.close()
    },
  }
}

const git = (...words: readonly string[]) =>
  execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...words], { encoding: 'utf8' })

/** A bare repository with one commit, that can be served as plain files too. Returns the commit. */
function makeRepository(directory: string): string {
  const bare = join(directory, 'project.git')
  git('init', '-q', '--bare', '-b', 'main', bare)
  const tree = git('-C', bare, 'hash-object', '-t', 'tree', '-w', '/dev/null').trim()
  const commit = git('-C', bare, 'commit-tree', '-m', 'first', tree).trim()
  git('-C', bare, 'update-ref', 'refs/heads/main', commit)
  git('-C', bare, 'update-server-info')
  return commit
}

/** The files of a repository: git's oldest way over HTTP. */
function serveFiles(directory: string, path: string, response: ServerResponse): void {
  const file = join(directory, path)
  if (path.includes('..') || !existsSync(file)) response.writeHead(404).end()
  else response.end(readFileSync(file))
}
