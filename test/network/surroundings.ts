import { once } from 'node:events'
import { createServer as createHttpServer, type IncomingMessage } from 'node:http'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import type { Gate } from '../../src/network/gate.ts'
import { type HostPattern, parseHostPattern } from '../../src/network/hosts.ts'
import { HostProxy, type ProxyOptions } from '../../src/network/proxy.ts'
import { afterFile } from '../helpers/clean-up.ts'

export function patternsOf(texts: readonly string[]): HostPattern[] {
  return texts.map((text) => {
    const pattern = parseHostPattern(text)
    if (!pattern) throw new Error(`no pattern: ${text}`)
    return pattern
  })
}

async function listening(server: Server, address = '127.0.0.1'): Promise<number> {
  await once(server.listen(0, address), 'listening')
  const sockets = new Set<Socket>()
  server.on('connection', (socket) => sockets.add(socket))
  afterFile(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

/** A server that answers with a file, or with what it was asked; `asked` has every request. */
export async function webServer(
  fileOf?: (request: IncomingMessage) => Buffer | undefined,
): Promise<{ readonly port: number; readonly asked: IncomingMessage[] }> {
  const asked: IncomingMessage[] = []
  const server = createHttpServer((request, response) => {
    asked.push(request)
    if (fileOf) {
      const file = fileOf(request)
      if (request.url?.endsWith('/')) response.setHeader('Content-Type', 'text/html') // pip insists
      return void response.writeHead(file ? 200 : 404).end(file)
    }
    const parts: Buffer[] = []
    request.on('data', (chunk: Buffer) => parts.push(chunk))
    request.on('end', () => response.end(`${request.method} ${request.url} ${Buffer.concat(parts)}`))
  })
  return { port: await listening(server), asked }
}

export async function tcpServer(serve: (socket: Socket) => void, address?: string): Promise<number> {
  return listening(
    createServer({ allowHalfOpen: true }, (socket) => {
      socket.on('error', () => {})
      serve(socket)
    }),
    address,
  )
}

interface GateRules {
  readonly allow: readonly string[]
  readonly deny?: readonly string[]
  readonly ask?: (host: string, port: number) => Promise<boolean>
}

/** Every name is 127.0.0.1, but names that begin with an address in other words: `a-10-0-0-1.example`. */
export async function resolveInTests(name: string): Promise<readonly string[]> {
  if (name.startsWith('absent.')) throw new Error('ENOTFOUND')
  const [, dashed] = /^a-([0-9a-f-]+)\./.exec(name) ?? []
  return [dashed === undefined ? '127.0.0.1' : dashed.replaceAll('-', '.')]
}

export async function openProxy(
  { allow, deny = [], ask }: GateRules,
  options: ProxyOptions = {},
): Promise<{ readonly proxy: HostProxy; readonly gate: Gate; readonly url: string }> {
  const proxy = new HostProxy({ resolver: resolveInTests, ...options })
  afterFile(() => proxy.close())
  await proxy.listen()
  const gate = proxy.open({
    rules: { allow: [patternsOf(allow)], deny: patternsOf(deny) },
    ask: ask && (({ host, port }) => ask(host.name, port)),
  })
  return { proxy, gate, url: `http://vitrine:${gate.secret}@127.0.0.1:${proxy.port}` }
}

/** What a list has for good.example to be reached at a port: the name, and the address that it leads to. */
export const goodAt = (port: number) => [`good.example:${port}`, `127.0.0.1:${port}`]

/** A web server, and a proxy that leads good.example to it, and what else `more` allows at its port. */
export async function proxied(
  more: (port: number) => Partial<GateRules> = () => ({}),
  options: ProxyOptions = {},
) {
  const { port, asked } = await webServer()
  const { allow = [], ...rules } = more(port)
  const { proxy, gate } = await openProxy({ allow: [...goodAt(port), ...allow], ...rules }, options)
  const send = (...parts: (string | Buffer)[]) => exchange(proxy.port, ...parts)
  return { port, asked, proxy, gate, auth: basic(gate.secret), send }
}

/** Sends bytes, and gives all that comes back. Ends its side after the first answer, unless it asks the proxy to close. */
export async function exchange(port: number, ...parts: readonly (string | Buffer)[]): Promise<Buffer> {
  const socket = connect({ host: '127.0.0.1', port, allowHalfOpen: true })
  const answer: Buffer[] = []
  const closed = new Promise<void>((resolve) => socket.on('close', () => resolve()))
  const answered = new Promise<void>((resolve) => socket.once('data', () => resolve()))
  socket.on('data', (chunk: Buffer) => answer.push(chunk))
  socket.on('error', () => {})
  socket.on('end', () => socket.end())
  for (const part of parts) {
    socket.write(part)
    await new Promise((resolve) => setTimeout(resolve, 20)) // parts arrive apart
  }
  if (!parts.some((part) => part.includes('Connection: close'))) void answered.then(() => socket.end())
  await closed
  return Buffer.concat(answer)
}

export function basic(secret: string): string {
  return `Proxy-Authorization: Basic ${Buffer.from(`vitrine:${secret}`).toString('base64')}\r\n`
}
