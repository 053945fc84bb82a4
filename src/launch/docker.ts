import { basename } from 'node:path'
import { PassThrough, type Writable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { monotonicMs } from '../base/clock.ts'
import { errorText } from '../base/errno.ts'
import { containerTmpLimit } from '../messages/docker.ts'
import { cannotConfine } from '../messages/platform.ts'
import type { Container } from '../sandbox/docker/container.ts'
import type { ContainerCommand, ContainerRequest, Containers } from '../sandbox/docker/containers.ts'
import type { Exec, ExecRequest } from '../sandbox/docker/exec.ts'
import type { GitIdentity } from '../sandbox/docker/image.ts'
import {
  containerProcessEnd,
  endsByDefault,
  InsideOutput,
  insideArgv,
  insideProcessEnd,
  insideVariables,
  killedBy,
  neverRan,
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
    limits: { by: 'container', note: containerTmpLimit },
    launch(request, events) {
      if (request.confinement && request.confinement.kind !== 'container')
        throw new Error(cannotConfine('docker', request.confinement.kind))
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
    this.#inside =
      this.#wanted.mode === 'workspace'
        ? new InsideOutput((stream, bytes) => events.output(stream, bytes))
        : undefined
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
      const request = await this.#vector()
      const running = await this.#containers.exec(this.#wanted, signal, request, (stream, bytes) => {
        this.#handOut(bytes.length)
        if (this.#inside) this.#consumed(this.#inside.add(stream, bytes))
        else this.#events.output(this.#request.merged ? 'stdout' : stream, bytes)
      })
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
    // The signal came while the process was being started.
    if (this.#stopped === 'SIGKILL') this.#destroy()
    else if (this.#stopped) this.#send(this.#stopped)
    const ended = await exec.ended
    exec.socket.destroy()
    const isUsedUp = !container.gone && (await container.outOfMemory()) > 0
    try {
      const killed = await this.#leave(container, isUsedUp)
      const usedUp = isUsedUp ? this.#containers.memory : undefined
      const circumstances = { killed, stopped: this.#stopped, usedUp }
      return this.#inside
        ? insideProcessEnd(ended, this.#inside, circumstances)
        : containerProcessEnd(ended, circumstances)
    } catch (error) {
      return { ...killedBy('SIGKILL'), lost: errorText(error) }
    }
  }

  async #vector(): Promise<ExecRequest> {
    const { argv, merged, environment, cwd, stdin, confinement, deadline } = this.#request
    const identity = this.#wanted.mode === 'read' ? {} : await identityFor(this.#request, this.#containers)
    const hasIdentity = Object.keys(identity).length > 0
    const variables = { ...environment, ...identity, [this.#cookie.name]: this.#cookie.value }
    const input = stdin !== null
    if (!this.#inside || confinement?.kind !== 'container' || !confinement.changes)
      return { cwd, stdin: input, argv: wrapped(argv, { merged, hasIdentity }), environment: variables }
    const { changes, network } = confinement
    const inner = wrapped(argv, { merged: false, hasIdentity })
    const order = { argv: inner, environment: variables, cwd, merged, stdin: input, network, changes }
    const { graceMs } = deadline
    const carrying = insideVariables({ ...order, graceMs }, this.#containers.imageVariables)
    return { cwd: '/', stdin: input, argv: insideArgv, environment: carrying }
  }

  #feed({ socket }: Exec): void {
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
    const isDelivered = await Promise.race([this.#delivery.then(() => true), sleep(deliveryMs, false)])
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
    if (this.#running) this.#send('SIGTERM')
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

  #handOut(bytes: number): void {
    this.#flow.open += bytes
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
    while (this.#flow.paused && this.#running) {
      const { exec } = this.#running
      exec.socket.pause()
      await sleep(pollMs)
      if (this.#flow.paused && !(await exec.runs())) {
        exec.socket.resume()
        await sleep(pollMs)
      }
      if (exec.socket.destroyed) return
    }
  }
}

function wantedBy({ confinement }: LaunchRequest): ContainerRequest {
  if (!confinement) return { mode: 'write', fresh: false }
  if (confinement.kind !== 'container') return { mode: 'read', fresh: false }
  // Containers that wait for a command are those of read mode.
  if (confinement.changes) return { mode: 'workspace', fresh: true }
  return { mode: 'read', fresh: confinement.fresh }
}

/** The git identity for a shell line or git. Empty if its environment sets one already. */
async function identityFor(
  { argv, environment }: Pick<LaunchRequest, 'argv' | 'environment'>,
  containers: Pick<Containers, 'gitIdentity'>,
): Promise<GitIdentity> {
  const mayCommit = /^(git|(ba|da|a|k|mk|z|fi)?sh)$/.test(basename(argv[0] ?? ''))
  const isSaid = Object.keys(environment).some((name) => /^GIT_(AUTHOR|COMMITTER)_(NAME|EMAIL)$/.test(name))
  return mayCommit && !isSaid ? containers.gitIdentity() : {}
}

interface Before {
  readonly merged: boolean
  /** The environment carries the host's git identity. */
  readonly hasIdentity: boolean
}

/** The command's argv, wrapped in a shell if anything has to be done first. */
function wrapped(argv: readonly string[], { merged, hasIdentity }: Before): readonly string[] {
  if (!merged && !hasIdentity) return argv
  const exec = `exec "$0" "$@"${merged ? ' 2>&1' : ''}`
  return ['/bin/sh', '-c', hasIdentity ? `${ownIdentityFirst}${exec}` : exec, ...argv]
}

/** An identity in the container's or the repository's git configuration takes precedence. */
const ownIdentityFirst = `
if command -v git >/dev/null 2>&1; then
  git config user.name >/dev/null 2>&1 && unset GIT_AUTHOR_NAME GIT_COMMITTER_NAME
  git config user.email >/dev/null 2>&1 && unset GIT_AUTHOR_EMAIL GIT_COMMITTER_EMAIL
fi
`
