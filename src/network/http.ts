import { createServer, type IncomingMessage, request, type Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { words } from '../base/text.ts'
import type { ConnectionReason } from '../base/types.ts'
import type { Client, Gate, Target } from './gate.ts'
import { hostAndPort, parseHost, parsePort, splitPort } from './hosts.ts'

/** Whose connection it is. */
export interface Owner {
  readonly gate: Gate
  readonly client: Client | undefined
}

/** An open connection to a host. */
interface Upstream {
  readonly gate: Gate
  readonly socket: Socket
}

/** Finds the command by the secret, or without one by the socket. Undefined: it belongs to none. */
export type FindOwner = (socket: Socket, secret: string | undefined) => Owner | undefined

/** How long a client may take to say what it wants. */
export const headMs = 10_000

/** Answers of the proxy, which clients such as curl print. */
const unknownClient = 'vitrine: this proxy serves only the commands that it was started for.'
const badProxyRequest =
  'vitrine: the proxy takes CONNECT HOST:PORT, with no other Host header, and http:// URLs.'
const badHostAnswer = 'vitrine: the host sent no answer that the proxy can pass on.'

const reasons: Readonly<Record<ConnectionReason, string>> = {
  'not-listed': 'is not in the list of hosts that this command may connect to',
  denied: 'is in [network] deny',
  'not-approved': 'was not approved',
  'not-public': 'is, or leads to, an address that is not public, and that is not listed itself',
  'not-found': 'has no address',
  unreachable: 'cannot be reached',
  'too-many': 'was refused: the command has too many connections, or has moved too many bytes',
}

/** @param host with its port */
function refusedHost(host: string, reason: ConnectionReason): string {
  return `vitrine: ${host} ${reasons[reason]}.`
}

/** CONNECT (RFC 9110, 9.3.6) and requests in absolute form (RFC 9112, 3.2.2). Node parses, strictly. */
export function httpProxy(ownerOf: FindOwner): Server {
  const server = createServer(
    {
      insecureHTTPParser: false,
      requireHostHeader: false,
      headersTimeout: headMs,
      connectionsCheckingInterval: headMs / 10,
      requestTimeout: 0,
    },
    (message, response) => void forward(message, response, ownerOf).catch(() => response.destroy()),
  )
  // Node would drop what follows 1000 headers, such as the length of a body, and yet obey it. A head has 16 KiB at most.
  server.maxHeadersCount = 0
  server.on('connect', (message, socket, head) => {
    void connectTo(message, socket as Socket, head, ownerOf).catch(() => socket.destroy())
  })
  server.on('clientError', (_error, socket) => {
    if (socket.writable)
      endRefused(socket, 'HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n')
    else socket.destroy()
  })
  return server
}

interface Refused {
  readonly status: number
  readonly text: string
}

/** The connection that a client asks for. Without a target the request is none that a proxy takes. */
async function upstreamFor(
  { headers, socket }: IncomingMessage,
  target: Target | undefined,
  ownerOf: FindOwner,
): Promise<Upstream | Refused> {
  if (!target) return { status: 400, text: badProxyRequest }
  const owner = ownerOf(socket, secretIn(headers['proxy-authorization']))
  if (!owner) return { status: 407, text: unknownClient }
  const { host, port } = target
  const connected = await owner.gate.connect({ host, port, client: owner.client })
  if (typeof connected !== 'string') return { gate: owner.gate, socket: connected }
  return { status: statusOf(connected), text: refusedHost(hostAndPort(host, port), connected) }
}

function statusOf(reason: ConnectionReason): number {
  if (reason === 'not-found' || reason === 'unreachable') return 502
  return reason === 'too-many' ? 429 : 403
}

async function connectTo(
  message: IncomingMessage,
  client: Socket,
  head: Buffer,
  ownerOf: FindOwner,
): Promise<void> {
  client.on('error', () => client.destroy())
  client.unshift(head) // now: after the client's end nothing can be put back
  const target = targetIn(message.url ?? '')
  const agreed = target && agrees(message.headers.host, target) ? target : undefined
  const upstream = await upstreamFor(message, agreed, ownerOf)
  if ('status' in upstream) {
    const response = new ServerResponse(message)
    response.assignSocket(client)
    response.once('finish', () => endRefused(client))
    return respond(response, upstream)
  }
  if (client.destroyed) return void upstream.socket.destroy()
  client.write('HTTP/1.1 200 Connection established\r\n\r\n')
  tunnel(client, upstream)
}

/** One request on a connection of its own: what the client asks for next is checked again. */
async function forward(
  message: IncomingMessage,
  response: ServerResponse,
  ownerOf: FindOwner,
): Promise<void> {
  // A Host header that comes with it is ignored, and replaced (RFC 9112, 3.2.2).
  const url = absoluteIn(message.url ?? '')
  const upstream = await upstreamFor(message, url, ownerOf)
  if ('status' in upstream || !url) return respond(response, upstream as Refused)
  const { socket, gate } = upstream
  const outgoing = request({
    method: message.method,
    path: url.path,
    headers: requestHeaders(message, url),
    setHost: false,
    createConnection: () => socket,
  })
  const counted = ({ length }: Buffer) => {
    if (!gate.spend(length)) socket.destroy()
  }
  const failed = () => {
    if (response.headersSent) response.destroy()
    else respond(response, { status: 502, text: badHostAnswer })
  }
  outgoing.once('error', failed)
  // No request asks for another protocol: the header that would is left out.
  outgoing.once('upgrade', (_incoming, switched) => {
    switched.destroy()
    failed()
  })
  outgoing.once('response', (incoming) => {
    if (passHead(incoming, response))
      return void pipeline(incoming.on('data', counted), response).catch(() => response.destroy())
    outgoing.destroy()
    failed()
  })
  response.once('close', () => outgoing.destroy())
  pipeline(message.on('data', counted), outgoing).catch(() => outgoing.destroy())
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

/** `HOST:PORT` */
function targetIn(text: string): Target | undefined {
  const { hostText, portText } = splitPort(text)
  const host = parseHost(hostText)
  const port = parsePort(portText ?? '')
  return host && port !== undefined ? { host, port } : undefined
}

/** `http://HOST[:PORT]/PATH`; undefined for other schemes. A user before the host, as wget sends it, is left out. */
function absoluteIn(url: string): (Target & { readonly path: string }) | undefined {
  const [, authority = '', rest = ''] = /^http:\/\/(?:[^/?#@\\]*@)?([^/?#]*)([^#]*)$/i.exec(url) ?? []
  const target = targetIn(/:[0-9]+$/.test(authority) ? authority : `${authority.replace(/:$/, '')}:80`)
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

function requestHeaders({ rawHeaders, headers }: IncomingMessage, { host, port }: Target): string[] {
  const name = hostAndPort(host, port).replace(/:80$/, '')
  const kept = endToEnd(rawHeaders, 'host')
  const chunked = headers['transfer-encoding'] !== undefined ? ['Transfer-Encoding', 'chunked'] : []
  return ['Host', name, ...kept, ...chunked, 'Connection', 'close']
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

function respond(response: ServerResponse, { status, text }: Refused): void {
  const challenge = { 'Proxy-Authenticate': 'Basic realm="vitrine"' }
  const body = `${text}\n`
  response
    .writeHead(status, {
      'Content-Type': 'text/plain; charset=utf-8',
      'Content-Length': Buffer.byteLength(body),
      Connection: 'close',
      ...(status === 407 && challenge),
    })
    .end(body)
}

/** Carries bytes both ways until both ends are done. The end of one direction leaves the other open. */
export function tunnel(client: Duplex, { socket, gate }: Upstream): void {
  const destroy = () => {
    client.destroy()
    socket.destroy()
  }
  const counted = ({ length }: Buffer) => {
    if (!gate.spend(length)) destroy()
  }
  client.on('data', counted)
  socket.on('data', counted)
  pipeline(client, socket).catch(destroy)
  pipeline(socket, client).catch(destroy)
}

const lingerMs = 2000

/** Answers a client that gets no more. One that keeps its side open would occupy a connection as long as the shell is open. */
export function endRefused(socket: Duplex, answer?: Buffer | string): void {
  if (answer === undefined) socket.end()
  else socket.end(answer)
  socket.resume() // else its end would not be noticed
  const late = setTimeout(() => socket.destroy(), lingerMs).unref()
  socket.once('close', () => clearTimeout(late))
}
