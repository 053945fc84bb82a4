import { statSync } from 'node:fs'
import { unlessAborted, within } from '../../base/clock.ts'
import { tried } from '../../base/errno.ts'
import { Turns } from '../../base/turns.ts'
import type { Mode } from '../../base/types.ts'
import { VitrineError } from '../../messages/error.ts'
import { Container } from './container.ts'
import type { Engine } from './engine.ts'
import type { Exec, ExecOutput, ExecRequest } from './exec.ts'
import type { Image } from './image.ts'
import { labelsFor, newName, thisKernel } from './left-over.ts'
import { type Mount, mountsAt, mountTable, nodeMounts, refuseOthers, refuseSocket } from './mounts.ts'
import { type ContainerSettings, type ContainerUser, containerSpec } from './spec.ts'

/** How long closing a shell waits for the engine. */
const closeMs = 5000
/** Concurrent starts: each start slows down all the others. */
const starts = new Turns(4)

interface ContainersOptions {
  readonly engine: Engine
  readonly settings: ContainerSettings
  readonly user: ContainerUser
  readonly image: Image
  /** Directories of this machine, shown at their own paths; the first is the workspace. */
  readonly places: readonly [string, ...string[]]
  readonly mounts: readonly Mount[]
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

/**
 * The containers of a shell, started on demand. Except in write mode a container runs one command at a time: any process left in
 * it is that command's. One free container is kept for the next command. In write mode all commands share one container, because
 * they may leave processes running.
 */
export class Containers {
  readonly options: ContainersOptions
  /** With the identity of what they show. */
  readonly #all = new Map<Container, string>()
  readonly #starting = new Set<Promise<unknown>>()
  #idle: Container | undefined
  #shared: Promise<Container> | undefined
  #inside: readonly Mount[] | undefined
  #closed = false

  constructor(options: ContainersOptions) {
    this.options = options
  }

  /** For workspace mode: what its containers mount besides. Throws SANDBOX_UNAVAILABLE. */
  inside(): readonly Mount[] {
    this.#inside ??= nodeMounts()
    return this.#inside
  }

  /**
   * Replaces the container once if it is gone or, except in write mode, nothing can be started in it. Throws
   * SANDBOX_UNAVAILABLE, or the signal's reason if aborted before the start.
   */
  async exec(
    wanted: ContainerRequest,
    signal: AbortSignal,
    request: ExecRequest,
    output: ExecOutput,
  ): Promise<ContainerCommand> {
    for (let isFirst = true; ; isFirst = false) {
      const container = await this.#take(wanted, signal)
      try {
        return { container, exec: await container.exec(request, output, signal) }
      } catch (error) {
        const isReplaceable = container.gone || wanted.mode !== 'write'
        if (wanted.mode !== 'write') this.discard(container)
        if (!isFirst || !isReplaceable) throw error
      }
    }
  }

  /** Throws the signal's reason if it aborts first; the container is then there for the next command. */
  async #take(wanted: ContainerRequest, signal: AbortSignal): Promise<Container> {
    const { mode, fresh } = wanted
    const isShared = mode === 'write'
    const taking = isShared ? this.#takeShared() : this.#takeOwn(mode, fresh, signal)
    const container = await unlessAborted(taking, signal, () => undefined)
    if (container && !signal.aborted) return container
    // No caller waits for it if it fails.
    if (!isShared)
      taking.then(
        (late) => this.giveBack(late, wanted),
        () => {},
      )
    throw signal.reason
  }

  /** Takes back a container whose command, not of write mode, has ended and left nothing in it. */
  giveBack(container: Container, { fresh }: ContainerRequest): void {
    const isUsable = !fresh && !container.gone && !this.#closed
    if (isUsable && (!this.#idle || this.#idle.gone)) this.#idle = container
    else this.discard(container)
  }

  /** Removes a container in the background. One that the engine does not remove, the next shell does. */
  discard(container: Container): void {
    container.remove().then(
      () => this.#all.delete(container),
      () => {},
    )
  }

  /** Removes all of them. Any that a hanging engine does not remove in time end with this process. */
  async close(): Promise<void> {
    this.#closed = true
    const removeAll = async () => {
      await Promise.allSettled(this.#starting)
      await Promise.allSettled([...this.#all.keys()].map((container) => container.remove()))
    }
    await within(removeAll(), closeMs, undefined)
  }

  async #takeOwn(mode: Mode, fresh: boolean, signal: AbortSignal): Promise<Container> {
    const idle = fresh ? undefined : this.#idle
    if (!idle) return this.#start(mode, fresh, signal)
    this.#idle = undefined
    if (this.#isUsable(idle)) return idle
    this.discard(idle)
    return this.#start(mode, fresh, signal)
  }

  async #takeShared(): Promise<Container> {
    const shared = this.#shared
    const container = await shared?.catch(() => undefined)
    if (container && this.#isUsable(container)) return container
    // Another command may have started one meanwhile.
    if (!this.#shared || this.#shared === shared) this.#shared = this.#start('write', false)
    return this.#shared
  }

  /** It runs, and shows the directories that are at the workspace's paths now. */
  #isUsable(container: Container): boolean {
    return !container.gone && this.#all.get(container) === identityOf(this.options.places)
  }

  #start(mode: Mode, fresh: boolean, signal?: AbortSignal): Promise<Container> {
    return starts.run(async () => {
      if (this.#closed) throw new VitrineError({ code: 'INVALID_REQUEST', problem: { kind: 'shell-closed' } })
      const starting = this.#started(mode, fresh)
      this.#starting.add(starting)
      return starting.finally(() => this.#starting.delete(starting))
    }, signal)
  }

  /** Mounts what is mounted beneath the places at this moment. */
  async #started(mode: Mode, fresh: boolean): Promise<Container> {
    const { engine, settings, user, places } = this.options
    const identity = identityOf(places)
    const here = mountTable()
    const shown = mountsAt(places, here).map((path) => ({
      source: path,
      target: path,
      writable: mode !== 'read',
    }))
    const others = this.#others(mode)
    const mounts = [...shown, ...others]
    refuseSocket(mounts, here, engine.socketPath)
    const spec = containerSpec(settings, { user, shown, others, fresh, labels: labelsFor(places[0]) })
    const container = await Container.start(engine, newName(mode), spec, user)
    this.#all.set(container, identity)
    try {
      if (isComparable(container)) refuseOthers(mounts, here, container.mounts)
      return container
    } catch (error) {
      this.discard(container)
      throw error
    }
  }

  /** `[docker] mounts` are no roots of workspace mode, so they are read-only there. */
  #others(mode: Mode): readonly Mount[] {
    const { mounts } = this.options
    const listed = mounts.map((mount) => ({ ...mount, writable: mode === 'write' && mount.writable }))
    return mode === 'workspace' ? [...listed, ...this.inside()] : listed
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
