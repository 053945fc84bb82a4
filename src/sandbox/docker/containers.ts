import { statSync } from 'node:fs'
import { unlessAborted, within } from '../../base/clock.ts'
import { tried } from '../../base/errno.ts'
import { Turns } from '../../base/turns.ts'
import type { Environment, Mode } from '../../base/types.ts'
import { shownWrong, unfitWorkspaceWords } from '../../messages/docker.ts'
import { VitrineError } from '../../messages/error.ts'
import { Container } from './container.ts'
import {
  type Engine,
  type EngineError,
  engineRefusal,
  isEngineError,
  refusalOf,
  saysPaused,
} from './engine.ts'
import type { Exec, ExecRequest } from './exec.ts'
import { type GitIdentity, gitIdentity, type Image } from './image.ts'
import type { FrameStream } from './keeper.ts'
import { hostLabel, modeLabel, newName, thisKernel, thisProcess, workspaceLabel } from './left-over.ts'
import { type ContainerSettings, containerSpec, type MadeMounts, nodeMounts, type UserMount } from './spec.ts'
import { mountsOf, mountTable, showsSocket, wronglyShown } from './workspace.ts'

/** How long closing a shell waits for the engine. */
const closeMs = 5000
/** Concurrent starts: each start slows down all the others. */
const starts = new Turns(4)

interface ContainersOptions {
  readonly engine: Engine
  readonly settings: ContainerSettings
  readonly workspace: string
  readonly places: readonly string[]
  /** The caller's environment, in which git's identity is looked up. */
  readonly env: Environment
  readonly image: Image
}

/** `fresh`: a container for this command alone, because /tmp is its private tmp. */
export interface ContainerRequest {
  readonly mode: Mode
  readonly fresh: boolean
}

export interface ContainerCommand {
  readonly container: Container
  readonly exec: Exec
}

type Output = (stream: FrameStream, bytes: Buffer) => void

/**
 * The containers of a shell, started on demand. Except in write mode a container runs one command at a time: any process left in
 * it is that command's. One free container is kept for the next command. In write mode all commands share one container, because
 * they may leave processes running.
 */
export class Containers {
  readonly #options: ContainersOptions
  readonly #all = new Set<Container>()
  /** Which directories each of them shows (`identityOf`). */
  readonly #shown = new WeakMap<Container, string>()
  readonly #starting = new Set<Promise<unknown>>()
  readonly #removing = new Set<Promise<unknown>>()
  #idle: Container | undefined
  #shared: Promise<Container> | undefined
  #identity: Promise<GitIdentity> | undefined
  #inside: MadeMounts | undefined
  #closed = false

  constructor(options: ContainersOptions) {
    this.#options = options
  }

  get memory(): number {
    return this.#options.settings.memory
  }

  get imageVariables(): Image['variables'] {
    return this.#options.image.variables
  }

  /** For workspace mode: what its containers mount besides, or why they cannot. */
  inside(): MadeMounts {
    this.#inside ??= nodeMounts()
    return this.#inside
  }

  gitIdentity(): Promise<GitIdentity> {
    this.#identity ??= gitIdentity(this.#options.env)
    return this.#identity
  }

  /**
   * Replaces the container once if it is gone or, except in write mode, paused from outside. Throws
   * SANDBOX_UNAVAILABLE, or the signal's reason if aborted before the start.
   */
  async exec(
    wanted: ContainerRequest,
    signal: AbortSignal,
    request: ExecRequest,
    output: Output,
  ): Promise<ContainerCommand> {
    for (let isFirst = true; ; isFirst = false) {
      const container = await this.#take(wanted, signal)
      try {
        return { container, exec: await container.exec(request, output, signal) }
      } catch (error) {
        const isEngines = isEngineError(error)
        const isReplaceable = container.gone || (wanted.mode !== 'write' && isEngines && saysPaused(error))
        if (wanted.mode !== 'write') this.discard(container)
        if (!isEngines) throw error
        if (!isFirst || !isReplaceable) throw this.#refusal(error)
      }
    }
  }

  /** Throws the signal's reason if it aborts first; the container is then there for the next command. */
  async #take(wanted: ContainerRequest, signal: AbortSignal): Promise<Container> {
    const taking = this.#takeFor(wanted, signal)
    const container = await unlessAborted(taking, signal, () => undefined)
    if (container && !signal.aborted) return container
    if (wanted.mode !== 'write')
      taking.then(
        (late) => this.giveBack(late, wanted),
        () => {}, // no caller waits for it
      )
    throw signal.reason
  }

  async #takeFor({ mode, fresh }: ContainerRequest, signal: AbortSignal): Promise<Container> {
    if (mode === 'write') return this.#takeShared()
    return (fresh ? undefined : this.#takeIdle()) ?? this.#start(mode, fresh, signal)
  }

  /** Takes back a container whose command, not of write mode, has ended and left nothing in it. */
  giveBack(container: Container, { fresh }: ContainerRequest): void {
    const isUsable = !fresh && !container.gone && !this.#closed
    if (isUsable && (!this.#idle || this.#idle.gone)) this.#idle = container
    else this.discard(container)
  }

  /** Removes a container in the background; `close` waits for it. */
  discard(container: Container): void {
    const removal = container
      .remove()
      .then(() => void this.#all.delete(container))
      .catch(() => {}) // closing the shell tries again; after this process the next shell removes it
      .finally(() => this.#removing.delete(removal))
    this.#removing.add(removal)
  }

  /** Removes all of them. Any that a hanging engine does not remove in time end with this process. */
  async close(): Promise<void> {
    this.#closed = true
    await within(this.#removeAll(), closeMs, undefined)
  }

  async #removeAll(): Promise<void> {
    await Promise.allSettled(this.#starting)
    for (const container of this.#all) this.discard(container)
    await Promise.all(this.#removing)
  }

  #takeIdle(): Container | undefined {
    const idle = this.#idle
    this.#idle = undefined
    if (!idle || this.#isUsable(idle)) return idle
    this.discard(idle)
    return undefined
  }

  /** It runs, and shows the directories that are at the workspace's paths now. */
  #isUsable(container: Container): boolean {
    return !container.gone && this.#shown.get(container) === identityOf(this.#options.places)
  }

  async #takeShared(): Promise<Container> {
    const shared = this.#shared
    const container = await shared?.catch(() => undefined)
    if (container && this.#isUsable(container)) return container
    // Another command may have started one meanwhile.
    if (!this.#shared || this.#shared === shared) this.#shared = this.#start('write', false)
    return this.#shared
  }

  #start(mode: Mode, fresh: boolean, signal?: AbortSignal): Promise<Container> {
    return starts.run(async () => {
      if (this.#closed) throw new VitrineError({ code: 'INVALID_REQUEST', problem: { kind: 'shell-closed' } })
      const starting = this.#started(mode, fresh)
      this.#starting.add(starting)
      try {
        const container = await starting
        this.#all.add(container)
        return container
      } catch (error) {
        throw isEngineError(error) ? this.#refusal(error) : error
      } finally {
        this.#starting.delete(starting)
      }
    }, signal)
  }

  #refusal(error: EngineError): VitrineError {
    const { engine, settings } = this.#options
    return engineRefusal(engine, settings.image, error)
  }

  /** `[docker] mounts` are no roots of workspace mode, so they are read-only. */
  #insideMounts(): readonly UserMount[] {
    const inside = this.inside()
    const own = this.#options.settings.mounts.map((mount) => ({ ...mount, writable: false }))
    return 'missing' in inside ? own : [...own, ...inside]
  }

  /** Mounts what is mounted beneath the places at this moment. */
  async #started(mode: Mode, fresh: boolean): Promise<Container> {
    const { engine, settings, workspace, places } = this.#options
    const labels = {
      [hostLabel]: JSON.stringify(thisProcess()),
      [modeLabel]: mode,
      [workspaceLabel]: workspace,
    }
    const identity = identityOf(places)
    const here = mountTable()
    const mounts = mountsOf(places, here)
    const others = mode === 'workspace' ? this.#insideMounts() : settings.mounts
    const shown = [...mounts.map((path) => ({ source: path, target: path })), ...others]
    const sources = shown.map(({ source }) => source)
    const door = showsSocket(sources, here, engine.socketPath)
    if (door !== undefined) throw refusalOf(unfitWorkspaceWords(door, 'engine-socket'))
    const made = { ...settings, mounts: others }
    const spec = containerSpec(made, { mounts, writable: mode !== 'read', fresh, labels })
    const { image, user } = settings
    const container = await Container.start(engine, { spec, name: newName(mode), image, user })
    const wrong = isComparable(container) ? wronglyShown(shown, here, container.mounts) : undefined
    this.#shown.set(container, identity)
    if (wrong === undefined) return container
    this.discard(container)
    throw refusalOf(shownWrong(wrong))
  }
}

/** Differs once a directory has been replaced: a container goes on showing the one that was mounted. */
function identityOf(places: readonly string[]): string {
  const stats = places.map((place) => tried(() => statSync(place, { bigint: true })))
  return stats.map((stat) => `${stat?.dev}:${stat?.ino}`).join()
}

/** In a virtual machine (Docker Desktop) this host's mount table says nothing about it. */
function isComparable({ kernel }: Container): boolean {
  const here = thisKernel()
  return here !== '' && (kernel === '' || kernel === here)
}
