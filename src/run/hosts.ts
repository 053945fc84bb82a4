import { errorReason } from '../base/errno.ts'
import { loadLate } from '../base/process.ts'
import type { Connection, Denial } from '../base/types.ts'
import type { BackendParts } from '../host/backend.ts'
import type { ModeSetup } from '../host/mode-setup.ts'
import { unavailable, type VitrineError } from '../messages/error.ts'
import { loopback, type Network, proxyVariables, servicesOn } from '../network/access.ts'
import type { AskHost, Gate, GateOptions } from '../network/gate.ts'
import { hostAndPort, parseHost } from '../network/hosts.ts'
import type { HostProxy } from '../network/proxy.ts'
import type { Variables } from '../request/environment.ts'

/** The proxy of a shell. It starts with the first command that needs it. */
export class ShellProxy {
  readonly #backend: BackendParts
  #proxy: Promise<HostProxy> | undefined

  constructor(backend: BackendParts) {
    this.#backend = backend
  }

  /** A command's way to its hosts. Throws SANDBOX_UNAVAILABLE if the proxy cannot listen. */
  async accessFor(network: HostsOf): Promise<HostAccess> {
    this.#proxy ??= this.#start()
    try {
      return new HostAccess(await this.#proxy, this.#backend, network)
    } catch (error) {
      this.#proxy = undefined // the next command tries again
      throw proxyNotListening(errorReason(error))
    }
  }

  async close(): Promise<void> {
    const proxy = await this.#proxy?.catch(() => undefined)
    await proxy?.close()
  }

  async #start(): Promise<HostProxy> {
    const { HostProxy } = await loadLate(() => import('../network/proxy.ts'))
    const { clientOf, resolver } = this.#backend
    const proxy = new HostProxy({ clientOf, resolver })
    await proxy.listen()
    return proxy
  }
}

export function proxyNotListening(reason: string): VitrineError {
  return unavailable({
    for: 'hosts',
    wanted: 'a port of 127.0.0.1 for the proxy',
    got: `it cannot listen there (${reason})`,
    remedy: 'let this process open more files (ulimit -n), or call again later',
  })
}

type HostsOf = Extract<Network, { readonly kind: 'hosts' }>

/** One command's way to its hosts: open from its launch to its end. */
export class HostAccess {
  readonly #proxy: HostProxy
  readonly #backend: BackendParts
  /** Whether it asks about hosts that are not listed. */
  readonly asks: boolean
  readonly #rules: GateOptions['rules']
  #gate: Gate | undefined
  /** What makes the command connect by the proxy, once it is open. */
  variables: Variables = {}

  constructor(proxy: HostProxy, backend: BackendParts, { rules, asks }: HostsOf) {
    this.#proxy = proxy
    this.#backend = backend
    this.#rules = rules
    this.asks = asks
  }

  /** The setup of a command that connects by the proxy; its environment also needs `variables`. */
  open(setup: ModeSetup, ask: AskHost | undefined): ModeSetup {
    const { throughProxy } = this.#backend.sandbox
    if (!setup.confinement || !throughProxy) throw new Error('a proxy without a sandbox')
    const { port } = this.#proxy
    const gate = this.#proxy.open({ rules: this.#rules, ask })
    this.#gate = gate
    const hasSockets = setup.confinement.kind === 'landlock' && setup.confinement.world > 0
    this.variables = proxyVariables({ port, secret: gate.secret, own: hasSockets ? loopback : [] })
    const services = servicesOn(this.#rules)
    return {
      ...setup,
      confinement: throughProxy(setup.confinement, { port, command: gate.number, services }),
    }
  }

  /** Ends what is left of its connections. */
  end(): readonly Connection[] {
    if (!this.#gate) return []
    this.#proxy.shut(this.#gate)
    return this.#gate.connections()
  }
}

/** Refusals of the proxy, as denials. Hosts that are absent or out of reach are not refused. */
export function deniedConnections(connections: readonly Connection[]): readonly Denial[] {
  return connections.flatMap(({ host, port, reason, pid = 0, program = '', count }) => {
    const named = parseHost(host)
    if (!named || reason === undefined || reason === 'not-found' || reason === 'unreachable') return []
    const address = hostAndPort(named, port)
    return [{ operation: 'connect', address, syscall: 'connect', pid, program, count, host: true } as const]
  })
}
