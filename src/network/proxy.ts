import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { type Resolver, systemResolver } from './addresses.ts'
import { type Client, Gate, type GateOptions } from './gate.ts'
import { headMs, httpProxy, type Owner } from './http.ts'
import { serveSocks, socksVersion } from './socks.ts'

/** The process that has connected from a port of loopback, and the number of its command. */
export type FindClient = (port: number) => (Client & { readonly command: number }) | undefined

export interface ProxyOptions {
  readonly resolver?: Resolver | undefined
  /** Absent where the system cannot tell: a client then needs its command's secret. */
  readonly clientOf?: FindClient | undefined
  readonly maxClients?: number | undefined
}

/** The kernel's usual maximum, net.core.somaxconn: connections that wait while the event loop is busy. */
const backlog = 4096

/** Connections of all commands at once; with one to a host each they take fewer than 4096 descriptors. */
const maxClients = 1536

/** The proxy of one shell, on a port of loopback. */
export class HostProxy {
  readonly #options: ProxyOptions
  readonly #server: Server
  readonly #serveHttp: readonly ((socket: Socket) => void)[]
  readonly #gates = new Set<Gate>()
  readonly #clients = new WeakMap<Duplex, ReturnType<FindClient>>()
  readonly #sockets = new Set<Socket>()
  #listening: Promise<void> | undefined
  #port: number | undefined

  constructor(options: ProxyOptions = {}) {
    this.#options = options
    this.#server = httpProxy(this.#ownerOf)
    this.#server.maxConnections = options.maxClients ?? maxClients
    this.#serveHttp = this.#server.listeners('connection') as ((socket: Socket) => void)[]
    this.#server.removeAllListeners('connection').on('connection', (socket) => this.#attend(socket))
    // Once it is closed: connect.c adds no client whose connection is.
    this.#server.on('drop', (dropped) => void setImmediate(() => this.#takeClient(dropped?.remotePort)))
  }

  /** Begins to listen. Rejects if it cannot. */
  listen(): Promise<void> {
    const begins = () => once(this.#server.listen({ host: '127.0.0.1', port: 0, backlog }), 'listening')
    this.#listening ??= begins().then(() => void this.#server.unref())
    return this.#listening
  }

  /** Valid once it listens. */
  get port(): number {
    this.#port ??= (this.#server.address() as AddressInfo).port
    return this.#port
  }

  /** Admits a command. */
  open(options: Omit<GateOptions, 'resolver'>): Gate {
    const { resolver = systemResolver } = this.#options
    const gate = new Gate({ resolver, ...options })
    this.#gates.add(gate)
    return gate
  }

  /** Ends the connections of a command that has ended. */
  shut(gate: Gate): void {
    this.#gates.delete(gate)
    gate.close()
  }

  /** Ends all connections, and listens no more. */
  async close(): Promise<void> {
    for (const gate of this.#gates) this.shut(gate)
    for (const socket of this.#sockets) socket.destroy()
    if (this.#listening === undefined) return
    await this.#listening.catch(() => {})
    await new Promise<void>((resolve) => this.#server.close(() => resolve()))
  }

  #attend(socket: Socket): void {
    const port = socket.remotePort
    this.#sockets.add(socket)
    socket.once('close', () => {
      this.#sockets.delete(socket)
      if (!this.#clients.has(socket)) this.#takeClient(port)
    })
    socket.on('error', () => socket.destroy())
    socket.setTimeout(headMs, () => socket.destroy())
    socket.once('readable', () => this.#serve(socket))
  }

  /** Its first byte tells whether it speaks SOCKS or HTTP. */
  #serve(socket: Socket): void {
    socket.setTimeout(0)
    socket.removeAllListeners('timeout')
    const first: Buffer | null = socket.read(1)
    if (!first) return void socket.destroy()
    socket.unshift(first)
    if (first[0] === socksVersion) void serveSocks(socket, this.#ownerOf)
    else for (const serve of this.#serveHttp) serve.call(this.#server, socket)
  }

  /** Taken for every connection, also one that is never served: another user of the machine may get the port next. */
  #takeClient(port: number | undefined): ReturnType<FindClient> {
    return port === undefined ? undefined : this.#options.clientOf?.(port)
  }

  readonly #ownerOf = (socket: Socket, secret: string | undefined): Owner | undefined => {
    if (!this.#clients.has(socket)) this.#clients.set(socket, this.#takeClient(socket.remotePort))
    const found = this.#clients.get(socket)
    const gates = [...this.#gates]
    const own = found && gates.find(({ number }) => number === found.command)
    const gate = secret === undefined ? own : gates.find((gate) => gate.secret === secret)
    // A command may have come by the secret of another, whose hosts are not its own.
    if (found && gate !== own) return undefined
    return gate && { gate, client: found && { pid: found.pid, program: found.program } }
  }
}
