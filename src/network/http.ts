import {
  type ClientRequest,
  createServer,
  type IncomingMessage,
  request,
  type Server,
  type ServerResponse,
} from 'node:http'
import type { Duplex } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { words } from '../base/text.ts'
import type { ConnectionReason } from '../base/types.ts'
import { badHostAnswer, badProxyRequest, refusedHost, unknownClient } from '../messages/sandbox/network.ts'
import type { Client, Gate, OpenUpstream, Wanted } from './gate.ts'
import { type Host, hostAndPort, parseHost, parsePort, splitPort } from './hosts.ts'
import { endRefused, tunnel } from './tunnel.ts'

/** Whose connection it is. */
export interface Owner {
  readonly gate: Gate
  readonly client: Client | undefined
}

/** Finds the command by the secret, or without one by the socket. Undefined: it belongs to none. */
type FindOwner = (socket: Duplex, secret: string | undefined) => Owner | undefined

export const headMs = 10_000

/** The HTTP side: CONNECT (RFC 9110, 9.3.6) and requests in absolute form (RFC 9112, 3.2.2). Node parses, strictly. */
export function httpProxy(ownerOf: FindOwner): Server {
  const server = createServer(
    { insecureHTTPParser: false, requireHostHeader: false },
    (message, response) => void forward(message, response, ownerOf).catch(() => response.destroy()),
  )
  // Node would drop what follows 1000 headers, such as the length of a body, and yet obey it. A head has 16 KiB at most.
  server.maxHeadersCount = 0
  limitFirstHead(server)
  server.on('connect', (message, socket, head) => {
    void connectTo(message, { socket, head }, ownerOf).catch(() => socket.destroy())
  })
  server.on('clientError', (_error, socket) => {
    if (socket.writable)
      socket.end('HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n')
    else socket.destroy()
  })
  return server
}

/** Node's own limit, headersTimeout, works only in a server that listens. */
function limitFirstHead(server: Server): void {
  const timers = new WeakMap<Duplex, NodeJS.Timeout>()
  const arrived = ({ socket }: IncomingMessage) => clearTimeout(timers.get(socket))
  server.on('connection', (socket) => timers.set(socket, setTimeout(() => socket.destroy(), headMs).unref()))
  server.prependListener('request', arrived).prependListener('connect', arrived)
}

interface ConnectingClient {
  readonly socket: Duplex
  readonly head: Buffer
}

async function connectTo(
  { url = '', headers }: IncomingMessage,
  { socket, head }: ConnectingClient,
  ownerOf: FindOwner,
): Promise<void> {
  socket.on('error', () => socket.destroy())
  const target = authorityIn(url)
  if (!target || !agrees(headers.host, target)) return answer(socket, 400, badProxyRequest)
  const owner = ownerOf(socket, secretIn(headers['proxy-authorization']))
  if (!owner) return answer(socket, 407, unknownClient)
  const wanted = { ...target, client: owner.client }
  socket.unshift(head) // now: after the client's end nothing can be put back
  const upstream = await owner.gate.connect(wanted)
  if ('reason' in upstream) return answer(socket, statusOf(upstream.reason), refusal(wanted, upstream.reason))
  if (socket.destroyed) return void upstream.socket.destroy()
  socket.write('HTTP/1.1 200 Connection established\r\n\r\n')
  tunnel({ client: socket, upstream: upstream.socket, record: upstream.record }, owner.gate)
}

async function forward(
  message: IncomingMessage,
  response: ServerResponse,
  ownerOf: FindOwner,
): Promise<void> {
  // A Host header that comes with it is ignored, and replaced (RFC 9112, 3.2.2).
  const target = absoluteIn(message.url ?? '')
  if (!target) return respond(response, 400, badProxyRequest)
  const owner = ownerOf(message.socket, secretIn(message.headers['proxy-authorization']))
  if (!owner) return respond(response, 407, unknownClient)
  const wanted = { ...target, client: owner.client }
  const upstream = await owner.gate.connect(wanted)
  if ('reason' in upstream)
    return respond(response, statusOf(upstream.reason), refusal(wanted, upstream.reason))
  await relay(
    { message, response, path: target.path, host: hostHeader(target) },
    { ...upstream, gate: owner.gate },
  )
}

interface Exchange {
  readonly message: IncomingMessage
  readonly response: ServerResponse
  readonly path: string
  readonly host: string
}

/** One request on a connection of its own: what it asks for next is checked again. */
async function relay({ message, response, path, host }: Exchange, upstream: OpenUpstream): Promise<void> {
  const { socket, record, gate } = upstream
  const outgoing = request({
    method: message.method,
    path,
    headers: requestHeaders(message, host),
    setHost: false,
    createConnection: () => socket,
  })
  const end = () => outgoing.destroy()
  message.on('data', (chunk: Buffer) => {
    if (!gate.spend(chunk.length)) socket.destroy()
  })
  const recorded = () => {
    if (!gate.endings.delete(recorded)) return
    record.sent += socket.bytesWritten
    record.received += socket.bytesRead
  }
  gate.endings.add(recorded)
  response.once('close', () => {
    end()
    recorded()
  })
  passAnswer(outgoing, response, upstream)
  pipeline(message, outgoing).catch(end)
}

function passAnswer(outgoing: ClientRequest, response: ServerResponse, upstream: OpenUpstream): void {
  const failed = () => {
    if (response.headersSent) response.destroy()
    else respond(response, 502, badHostAnswer)
  }
  outgoing.once('error', failed)
  // No request asks for another protocol: the header that would is left out.
  outgoing.once('upgrade', (_incoming, switched) => {
    switched.destroy()
    failed()
  })
  outgoing.once('response', (incoming) => {
    if (passHead(incoming, response)) return passBody(incoming, response, upstream)
    outgoing.destroy()
    failed()
  })
}

function passBody(incoming: IncomingMessage, response: ServerResponse, { socket, gate }: OpenUpstream): void {
  incoming.on('data', (chunk: Buffer) => {
    if (!gate.spend(chunk.length)) socket.destroy()
  })
  pipeline(incoming, response).catch(() => response.destroy())
}

/** False: Node's parser takes status codes and phrases that its writer refuses. */
function passHead(
  { statusCode = 0, statusMessage, rawHeaders }: IncomingMessage,
  response: ServerResponse,
): boolean {
  try {
    response.writeHead(statusCode, statusMessage, endToEnd(rawHeaders))
    return true
  } catch {
    response.statusMessage = '' // writeHead keeps what it refuses
    return false
  }
}

interface Target {
  readonly host: Host
  readonly port: number
}

/** `HOST:PORT` */
function authorityIn(text: string): Target | undefined {
  const { hostText, portText } = splitPort(text)
  const host = parseHost(hostText)
  const port = parsePort(portText ?? '')
  return host && port !== undefined ? { host, port } : undefined
}

/** `http://HOST[:PORT]/PATH`; undefined for other schemes. A user before the host, as wget sends it, is left out. */
function absoluteIn(url: string): (Target & { readonly path: string }) | undefined {
  const [, authority = '', rest = ''] = /^http:\/\/(?:[^/?#@\\]*@)?([^/?#]*)([^#]*)$/i.exec(url) ?? []
  const target = authorityIn(/:[0-9]+$/.test(authority) ? authority : `${authority.replace(/:$/, '')}:80`)
  return target && { ...target, path: rest.startsWith('/') ? rest : `/${rest}` }
}

/** Whether the Host header of a CONNECT, if there is one, names the same host and port as the request. */
function agrees(header: string | undefined, { host, port }: Target): boolean {
  if (header === undefined) return true
  const { hostText, portText } = splitPort(header)
  const named = parseHost(hostText)
  const isPort = portText === undefined || portText === String(port)
  return isPort && named?.kind === host.kind && named.name === host.name
}

function hostHeader({ host, port }: Target): string {
  return port === 80 ? hostAndPort(host, port).replace(/:80$/, '') : hostAndPort(host, port)
}

/** `Basic USER:SECRET` (RFC 7617) */
function secretIn(header: string | undefined): string | undefined {
  const [, encoded] = /^basic +([A-Za-z0-9+/=]+)$/i.exec(header ?? '') ?? []
  if (encoded === undefined) return header === undefined ? undefined : ''
  const credentials = Buffer.from(encoded, 'base64').toString('latin1')
  return credentials.slice(credentials.indexOf(':') + 1)
}

/** RFC 9110, 7.6.1; and what tells of the proxy. */
const hopByHop = new Set(
  words(`
    connection keep-alive proxy-authenticate proxy-authorization proxy-connection te trailer transfer-encoding
    upgrade`),
)

function requestHeaders(message: IncomingMessage, host: string): string[] {
  const { rawHeaders, headers } = message
  const kept = endToEnd(rawHeaders, 'host')
  const chunked = headers['transfer-encoding'] !== undefined ? ['Transfer-Encoding', 'chunked'] : []
  return ['Host', host, ...kept, ...chunked, 'Connection', 'close']
}

/** A length is never hop-by-hop (RFC 9110, 7.6.1): a body without it could pass for a second request. */
function endToEnd(raw: readonly string[], ...without: readonly string[]): string[] {
  const pairs = raw.flatMap((name, index) => (index % 2 === 0 ? [[name, raw[index + 1] ?? ''] as const] : []))
  const named = pairs.filter(([name]) => name.toLowerCase() === 'connection')
  const dropped = new Set([...without, ...named.flatMap(([, value]) => value.toLowerCase().split(/[\s,]+/))])
  dropped.delete('content-length')
  return pairs
    .filter(([name]) => !hopByHop.has(name.toLowerCase()) && !dropped.has(name.toLowerCase()))
    .flat()
}

function statusOf(reason: ConnectionReason): number {
  if (reason === 'not-found' || reason === 'unreachable') return 502
  return reason === 'too-many' ? 429 : 403
}

function refusal({ host, port }: Wanted, reason: ConnectionReason): string {
  return refusedHost(hostAndPort(host, port), reason)
}

const challenge = { 'Proxy-Authenticate': 'Basic realm="vitrine"' }

function respond(response: ServerResponse, status: number, text: string): void {
  const headers = { 'Content-Type': 'text/plain; charset=utf-8', Connection: 'close' }
  response.writeHead(status, status === 407 ? { ...headers, ...challenge } : headers).end(`${text}\n`)
}

const reasonPhrases: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  403: 'Forbidden',
  407: 'Proxy Authentication Required',
  429: 'Too Many Requests',
  502: 'Bad Gateway',
}

function answer(socket: Duplex, status: number, text: string): void {
  const body = `${text}\n`
  const lines = [
    `HTTP/1.1 ${status} ${reasonPhrases[status]}`,
    ...(status === 407 ? Object.entries(challenge).map(([name, value]) => `${name}: ${value}`) : []),
    'Content-Type: text/plain; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ]
  endRefused(socket, `${lines.join('\r\n')}\r\n\r\n${body}`)
}
