import { monotonicMs, within } from '../base/clock.ts'
import { type ModeSetup, once } from '../host/mode-setup.ts'
import { type Variables, withToolCaches } from '../request/environment.ts'
import { privateVariables } from '../sandbox/private-tmp.ts'
import type { PrivateDirectory } from '../sandbox/sandbox.ts'

type Grant = NonNullable<ModeSetup['privateTmp']>

/** The private directory of one command. */
export class PrivateTmp {
  readonly #setup: ModeSetup
  readonly #grant: Grant
  readonly #removing: Set<Promise<unknown>>
  #directory: PrivateDirectory | undefined
  #due = 0
  #removed: Promise<string | undefined> | undefined

  /** @param removing where removals are kept that go on after `remove` has resolved */
  constructor(setup: ModeSetup, grant: Grant, removing: Set<Promise<unknown>>) {
    this.#setup = setup
    this.#grant = grant
    this.#removing = removing
  }

  /** The setup with the directory. `withinMs`: how long `remove` may take. Throws SANDBOX_UNAVAILABLE. */
  make(withinMs: number): ModeSetup {
    this.#due = monotonicMs() + withinMs
    this.#directory = this.#grant.directories.make(this.#grant.temporary)
    return setupIn(this.#setup, this.#grant, this.#directory)
  }

  /**
   * Works once. `spare`: no process is left that could change it. Resolves when it is gone, or with a note when
   * `withinMs` have passed; the removal then goes on.
   */
  remove(spare = false): Promise<string | undefined> {
    this.#removed ??= this.#directory ? this.#remove(this.#directory, spare) : Promise.resolve(undefined)
    return this.#removed
  }

  async #remove(directory: PrivateDirectory, spare: boolean): Promise<string | undefined> {
    const removal = Promise.resolve(directory.remove(spare))
    this.#removing.add(removal)
    void removal.finally(() => this.#removing.delete(removal)).catch(() => {}) // awaited below, and when the shell closes
    const left = await within(removal, Math.max(0, this.#due - monotonicMs()), 'late')
    if (left === undefined) return undefined
    return left === 'late'
      ? `${directory.path} is large and is still being removed; close() waits for it`
      : `${directory.path}, or what an earlier run left there, could not be removed (${left}); the next process that uses a private tmp tries again`
  }
}

function setupIn(setup: ModeSetup, { directories, caches }: Grant, { path }: PrivateDirectory): ModeSetup {
  const inDirectory = (environment: () => Variables) =>
    once(() => {
      const variables = { ...environment(), ...privateVariables(path) }
      return caches ? withToolCaches(variables, path, caches) : variables
    })
  return {
    ...setup,
    environment: inDirectory(setup.environment),
    inTerminal: inDirectory(setup.inTerminal),
    confinement: setup.confinement && directories.grant(setup.confinement, path),
  }
}
