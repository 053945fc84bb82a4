import { PassThrough, type Writable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { monotonicMs, within } from '../base/clock.ts'
import { errorText } from '../base/errno.ts'
import type { Stream } from '../base/types.ts'
import type { Container } from '../sandbox/docker/container.ts'
import type { ContainerCommand, ContainerRequest, Containers } from '../sandbox/docker/containers.ts'
import type { Exec, ExecRequest } from '../sandbox/docker/exec.ts'
import { gitConfigPath } from '../sandbox/docker/image.ts'
import { cannotConfine } from '../sandbox/sandbox.ts'
import {
  containerProcessEnd,
  endsByDefault,
  InsideOutput,
  insideRequest,
  killedBy,
  neverRan,
  orderFrame,
} from './docker-inside.ts'
import {
  type LaunchEvents,
  type LaunchedProcess,
  type Launcher,
  type LaunchRequest,
  type ProcessEnd,
  pump,
} from './launch.ts'
import { type Cookie, makeCookie } from './sweep.ts'

const windowBytes = 1024 * 1024
/** How often to check whether a command whose output is paused still runs. */
const pollMs = 300
/** How often to look whether processes that were asked to end have done so. */
const lookMs = 10
const lastWaitMs = 500
/** From SIGKILL until an engine that reports no end is given up. */
const giveUpMs = 800
const deliveryMs = 1000

/** Runs commands in containers, which confine in every mode. The caller decides how they are made. */
export function dockerLauncher(containers: Containers): Launcher {
  return {
    name: 'docker',
    terminals: false,
    sessions: false,
    limits: { by: 'container', note: 'the size of /tmp' },
    launch(request, events) {
      if (request.confinement && request.confinement.kind !== 'container')
        throw cannotConfine('docker', request.confinement.kind)
      return new ContainedCommand(containers, request, events).launched
    },
  }
}

class ContainedCommand {
  readonly launched: LaunchedProcess
  readonly #containers: Containers
  readonly #request: LaunchRequest
  readonly #events: LaunchEvents
  readonly #wanted: ContainerRequest
  /** Workspace mode: what vitrine's part inside of the container says. */
  readonly #inside: InsideOutput | undefined
  readonly #cookie: Cookie = makeCookie()
  readonly #stdin: Writable | null
  /** Aborted if the command is to end before it runs. */
  readonly #unwanted = new AbortController()
  #running: ContainerCommand | undefined
  #stopped: NodeJS.Signals | undefined
  #delivery: Promise<unknown> = Promise.resolve()
  /** Bytes handed out and not yet consumed. */
  readonly #flow = { open: 0, paused: false }

  constructor(containers: Containers, request: LaunchRequest, events: LaunchEvents) {
    this.#containers = containers
    this.#request = request
    this.#events = events
    this.#wanted = wantedBy(request)
    if (this.#wanted.mode === 'workspace')
      this.#inside = new InsideOutput((stream, bytes) => this.#handOut(stream, bytes))
    this.#stdin = request.stdin === null ? null : new PassThrough()
    // EPIPE: the command may end or close its input without reading all of it
    this.#stdin?.on('error', () => {})
    this.launched = {
      stdin: request.stdin === 'pipe' ? this.#stdin : null,
      signal: (name) => this.#signal(name),
      terminate: () => this.#terminate(),
      destroy: () => this.#destroy(),
      consumed: (bytes) => this.#consumed(bytes),
    }
    this.#run().then((end) => events.end(end))
  }

  async #run(): Promise<ProcessEnd> {
    try {
      const { signal } = this.#unwanted
      const running = await this.#containers.exec(
        this.#wanted,
        signal,
        this.#execRequest(),
        (stream, bytes) => {
          if (this.#inside) this.#inside.add(stream, bytes)
          else this.#handOut(stream, bytes)
        },
      )
      return await this.#toItsEnd(running)
    } catch (error) {
      return this.#stopped ? killedBy(this.#stopped) : neverRan(error)
    } finally {
      this.#stdin?.destroy()
    }
  }

  async #toItsEnd(running: ContainerCommand): Promise<ProcessEnd> {
    const { container, exec } = running
    this.#running = running
    this.#feed(exec)
    if (this.#request.tellsStart) this.#events.started()
    // The signal came while the process was being started.
    if (this.#stopped === 'SIGKILL') this.#destroy()
    else if (this.#stopped) this.#send(this.#stopped)
    const ended = await exec.ended
    exec.socket.destroy()
    const isUsedUp = !container.gone && (await container.outOfMemory()) > 0
    const usedUp = isUsedUp ? this.#containers.options.settings.memory : undefined
    try {
      const killed = await this.#leave(container, isUsedUp)
      return containerProcessEnd(ended, { inside: this.#inside, killed, stopped: this.#stopped, usedUp })
    } catch (error) {
      return { ...killedBy('SIGKILL'), lost: errorText(error) }
    }
  }

  #execRequest(): ExecRequest {
    const { argv, merged, cwd, stdin } = this.#request
    if (this.#inside) return insideRequest(this.#containers.options.image)
    const inOne = ['/bin/sh', '-c', 'exec "$0" "$@" 2>&1', ...argv]
    return { cwd, stdin: stdin !== null, argv: merged ? inOne : argv, environment: this.#variables() }
  }

  #variables(): Readonly<Record<string, string>> {
    const { name, value } = this.#cookie
    return { GIT_CONFIG_SYSTEM: gitConfigPath, ...this.#request.environment, [name]: value }
  }

  #feed({ socket }: Exec): void {
    if (this.#inside) {
      const order = orderFrame(this.#request, this.#containers.options.image, this.#variables())
      if (this.#stdin) socket.write(order)
      else socket.end(order)
    }
    if (!this.#stdin) return
    const { stdin } = this.#request
    if (typeof stdin === 'number') pump(stdin, this.#stdin)
    this.#stdin.pipe(socket)
  }

  /**
   * Outside of write mode the container is removed unless it is known to be empty. One that ran out of memory
   * is never used again: files left in /tmp may use it. Resolves to the number of survivors.
   */
  async #leave(container: Container, isUsedUp: boolean): Promise<number> {
    const isWrite = this.#wanted.mode === 'write'
    if (isWrite && !isUsedUp) return 0
    const isDelivered = await within(
      this.#delivery.then(() => true),
      deliveryMs,
      false,
    )
    const strangers = container.gone || !isDelivered ? undefined : await container.strangers()
    if (isWrite && strangers !== 0) return 0
    if (strangers) await this.#linger(container)
    if (strangers === 0 && !isUsedUp) this.#containers.giveBack(container, this.#wanted)
    else await container.end().finally(() => this.#containers.discard(container))
    return strangers ?? 0
  }

  /** What the command leaves is asked to end, if a deadline has not done so, and gets the grace. */
  async #linger(container: Container): Promise<void> {
    if (!this.#stopped) this.#send('SIGTERM')
    const until = monotonicMs() + this.#request.deadline.graceMs
    const isOver = () => container.gone || this.#stopped === 'SIGKILL' || monotonicMs() >= until
    while (!isOver() && (await container.strangers())) await sleep(lookMs)
  }

  #signal(name: NodeJS.Signals): void {
    if (name === 'SIGKILL') this.#destroy()
    else if (this.#running) this.#send(name)
    else if (endsByDefault(name)) this.#stop(name)
  }

  #terminate(): void {
    this.#stop('SIGTERM')
    this.#send('SIGTERM')
  }

  #stop(name: NodeJS.Signals): void {
    this.#stopped ??= name
    this.#unwanted.abort()
  }

  /** An undeliverable signal is not needed: engine or container are gone, and the command with them. */
  #send(name: NodeJS.Signals): void {
    if (!this.#running) return
    const { container, exec } = this.#running
    const cookie = this.#wanted.mode === 'write' ? `${this.#cookie.name}=${this.#cookie.value}` : undefined
    const deliver = async () => {
      await exec.started()
      if (!container.gone) await container.signal(name, cookie)
    }
    const delivery = name === 'SIGKILL' ? deliver() : this.#delivery.then(deliver)
    this.#delivery = Promise.allSettled([this.#delivery, delivery])
  }

  /** Outside of write mode this removes the container; in write mode other commands may run in it. */
  #destroy(): void {
    this.#stop('SIGKILL')
    this.#stopped = 'SIGKILL'
    if (!this.#running) return
    const { container, exec } = this.#running
    if (this.#wanted.mode !== 'write') this.#containers.discard(container)
    else this.#send('SIGKILL')
    const last = setTimeout(() => this.#containers.discard(container), lastWaitMs)
    const giveUp = setTimeout(() => exec.giveUp(), giveUpMs)
    void exec.ended.finally(() => {
      clearTimeout(last)
      clearTimeout(giveUp)
    })
  }

  #handOut(stream: Stream, bytes: Buffer): void {
    this.#flow.open += bytes.length
    this.#events.output(stream, bytes)
    if (this.#flow.open <= windowBytes || this.#flow.paused) return
    this.#flow.paused = true
    void this.#holdBack()
  }

  #consumed(bytes: number): void {
    this.#flow.open -= bytes
    if (this.#flow.open > windowBytes / 2) return
    this.#flow.paused = false
    this.#running?.exec.socket.resume()
  }

  /**
   * Pauses reading while the consumer does not keep up. Not after the command's end: the engine drops what is
   * not read within two seconds, and its buffers bound that rest.
   */
  async #holdBack(): Promise<void> {
    if (!this.#running) return
    const { exec } = this.#running
    exec.socket.pause()
    do await sleep(pollMs)
    while (this.#flow.paused && (await exec.runs()))
    exec.socket.resume()
  }
}

function wantedBy({ confinement }: LaunchRequest): ContainerRequest {
  if (!confinement) return { mode: 'write', fresh: false }
  if (confinement.kind !== 'container') return { mode: 'read', fresh: false }
  // Containers that wait for a command are those of read mode.
  if (confinement.changes) return { mode: 'workspace', fresh: true }
  return { mode: 'read', fresh: confinement.fresh }
}
