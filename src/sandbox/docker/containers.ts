import { setTimeout as sleep } from 'node:timers/promises'
import { VitrineError } from '../../errors.ts'
import {
  containerFailed,
  type DockerWords,
  imageMissing,
  shownWrong,
  unfitWorkspaceWords,
} from '../../result/explain-docker.ts'
import type { Mode } from '../../result/result.ts'
import { Container } from './container.ts'
import { type Engine, type EngineError, isEngineError } from './engine.ts'
import { hostLabel, modeLabel, newName, thisKernel, thisProcess, workspaceLabel } from './host-label.ts'
import { type ContainerSettings, containerSpec } from './spec.ts'
import { mountsOf, mountTable, showsSocket, wronglyShown } from './workspace.ts'

/** How long closing a shell waits for the engine. */
const closeMs = 10_000

/** What a shell's containers are made from. */
export interface ContainersOptions {
  readonly engine: Engine
  readonly settings: ContainerSettings
  readonly workspace: string
  /** Directories that they show. */
  readonly places: readonly string[]
}

/** What a command needs of its container. `fresh`: read mode, nobody has used it or will, for its /tmp is the command's own. */
export interface Wanted {
  readonly mode: Mode
  readonly fresh: boolean
}

/**
 * The containers of a shell, started when a command needs one. In read mode a container runs one command at a time: what is
 * left in it afterwards is the command's. Commands at the same time get one each; one is kept. In write mode all share one,
 * for they may leave something running.
 */
export class Containers {
  readonly #options: ContainersOptions
  readonly #all = new Set<Container>()
  readonly #starting = new Set<Promise<Container>>()
  readonly #removing = new Set<Promise<unknown>>()
  #idle: Container | undefined
  #shared: Promise<Container> | undefined
  #closed = false

  constructor(options: ContainersOptions) {
    this.#options = options
  }

  /** A container for a command. Throws SANDBOX_UNAVAILABLE. */
  async take({ mode, fresh }: Wanted): Promise<Container> {
    if (mode === 'read') return (fresh ? undefined : this.#takeIdle()) ?? this.#start('read', fresh)
    const shared = this.#shared
    const container = await shared?.catch(() => undefined)
    if (container && !container.gone) return container
    // Another command may have started one meanwhile.
    if (this.#shared === shared) this.#shared = this.#start('write')
    return this.#shared ?? this.#start('write')
  }

  /** A read-mode command has ended, and nobody is left in its container. */
  async giveBack(container: Container, { fresh }: Wanted): Promise<void> {
    const keep = !fresh && !this.#idle && !container.gone && !this.#closed
    if (keep) this.#idle = container
    else await this.remove(container)
  }

  /** Kills everything in a container and removes it. Throws EngineError. */
  async remove(container: Container): Promise<void> {
    const removal = container.remove()
    this.#removing.add(removal)
    try {
      await removal
      this.#all.delete(container)
    } finally {
      this.#removing.delete(removal)
    }
  }

  /** Removes all of them. What an engine that hangs does not remove any more ends with this process. */
  async close(): Promise<void> {
    this.#closed = true
    const patience = new AbortController()
    await Promise.race([this.#end(), sleep(closeMs, undefined, { signal: patience.signal }).catch(() => {})])
    patience.abort()
  }

  async #end(): Promise<void> {
    await Promise.allSettled(this.#starting)
    await Promise.allSettled([...this.#all].map((container) => this.remove(container)))
    await Promise.allSettled(this.#removing)
  }

  #takeIdle(): Container | undefined {
    const idle = this.#idle
    this.#idle = undefined
    return idle?.gone ? undefined : idle
  }

  async #start(mode: Mode, fresh = false): Promise<Container> {
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
  }

  /** With the mounts that are beneath its places now. */
  async #started(mode: Mode, fresh: boolean): Promise<Container> {
    const { engine, settings: usual, workspace, places } = this.#options
    const settings = fresh ? usual : { ...usual, tmpBytes: 0 }
    const labels = {
      [hostLabel]: JSON.stringify(thisProcess()),
      [modeLabel]: mode,
      [workspaceLabel]: workspace,
    }
    const here = mountTable()
    const mounts = mountsOf(places, here)
    const door = showsSocket(mounts, here, engine.socketPath)
    if (door !== undefined) throw refusalOf(unfitWorkspaceWords(door, 'engine-socket'))
    const spec = containerSpec(settings, { mounts, writable: mode === 'write', labels })
    const container = await Container.start(engine, spec, newName(mode), settings.user)
    const wrong = isComparable(container) ? wronglyShown(mounts, here, container.mounts) : undefined
    if (wrong === undefined) return container
    await container.remove()
    throw refusalOf(shownWrong(wrong))
  }

  #refusal({ status, message }: EngineError): VitrineError {
    const { image } = this.#options.settings
    const missing = status === 404 && /no such image/i.test(message)
    const words = missing ? imageMissing(image) : containerFailed(message)
    return refusalOf(words)
  }
}

function refusalOf(words: DockerWords): VitrineError {
  return new VitrineError({ code: 'SANDBOX_UNAVAILABLE', for: 'docker', ...words })
}

/** Of an engine in a machine of its own (Docker Desktop) the table here says nothing. */
function isComparable({ kernel }: Container): boolean {
  const here = thisKernel()
  return here !== '' && (kernel === '' || kernel === here)
}
