import { closeSync, openSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { monotonicMs } from '../base/clock.ts'
import { errorCode, errorText, tried } from '../base/errno.ts'
import { makeDirectories } from '../base/files.ts'
import type { Environment } from '../base/types.ts'
import { VitrineError } from '../messages/error.ts'
import {
  type EntryMetadata,
  findEntry,
  listEntries,
  pruneSessions,
  type RetentionLimits,
  type ScratchpadEntry,
  writeMetadata,
} from './list.ts'
import { checkScratchpadName, makeSession, makeSessionName, stateRoot } from './session.ts'

interface ScratchpadFile {
  readonly name: string
  readonly path: string
  readonly fd: number
}

/** Beyond either, the oldest sessions of saved outputs are removed. */
export const kept: RetentionLimits = { maxAgeDays: 7, maxBytes: 4_294_967_296 }

const tidyEveryMs = 3_600_000

/** The named outputs of one session, readable only by the user. The directory is made when needed. */
export class Scratchpad {
  readonly #environment: Environment
  #root: string | undefined
  readonly #keep: RetentionLimits
  #session: string | undefined
  #tidyAtMs = 0
  /** Names of pruned outputs: none is given to another output. */
  readonly #gone = new Set<string>()
  #made = 0

  /** @internal */
  constructor(environment: Environment, keep: RetentionLimits) {
    this.#environment = environment
    this.#keep = keep
  }

  /** The name of the session, and of its directory. */
  get session(): string {
    this.#session ??= makeSessionName()
    return this.#session
  }

  /** Where the files are. It exists when something has been saved. */
  get directory(): string {
    return join(this.#root ?? stateRoot(this.#environment), this.session)
  }

  /** What is saved, oldest first. Throws the error of the system where the directory cannot be read. */
  entries(): readonly ScratchpadEntry[] {
    return listEntries(this.directory, this.session)
  }

  /** One of them; undefined: there is none of this name. Throws nothing. */
  find(name: string): ScratchpadEntry | undefined {
    return findEntry(this.directory, this.session, name)
  }

  /**
   * A taken name gets a suffix; without a name one is generated. Throws INVALID_REQUEST for a name that may lead elsewhere.
   * @internal
   */
  open(asked: string | undefined): ScratchpadFile {
    if (asked !== undefined) checkScratchpadName(asked)
    this.#tidy(this.#make())
    const wanted = asked ?? `output-${++this.#made}`
    for (let copy = 1; ; copy++) {
      const name = copy === 1 ? wanted : `${wanted}-${copy}`
      if (this.#gone.has(name)) continue
      const path = join(this.directory, name)
      try {
        return { name, path, fd: openSync(path, 'wx', 0o600) }
      } catch (error) {
        if (errorCode(error) !== 'EEXIST') throw error
      }
    }
  }

  /**
   * Leaves no file if it fails.
   * @internal
   */
  save(asked: string | undefined, bytes: Uint8Array): ScratchpadFile {
    const file = this.open(asked)
    try {
      writeFileSync(file.fd, bytes)
    } catch (error) {
      this.discard(file)
      throw error
    } finally {
      closeSync(file.fd)
    }
    return file
  }

  /**
   * Removes a file whose output is returned elsewhere.
   * @internal
   */
  discard({ path }: ScratchpadFile): void {
    tried(() => unlinkSync(path))
  }

  /** @internal */
  describe(name: string, metadata: EntryMetadata): void {
    // If it fails, probably for a full disk, listings show the output without its command.
    tried(() => writeMetadata(this.directory, name, metadata))
    if (metadata.outcome !== 'exited') this.#tidyAtMs = 0
  }

  /**
   * Throws INVALID_REQUEST if nothing can be saved under the name.
   * @internal
   */
  checkSavable(name: string): void {
    try {
      this.#make()
    } catch (error) {
      const problem = { kind: 'unsavable', name, reason: errorText(error) } as const
      throw new VitrineError({ code: 'INVALID_REQUEST', problem })
    }
  }

  /** Remakes the directory in the same root, so that outputs stay together. */
  #make(): string {
    if (this.#root === undefined) this.#root = makeSession(this.#environment, this.session)
    else makeDirectories(this.directory, 0o700)
    return this.#root
  }

  /** Prunes before this session first saves, after a command was stopped, and each hour. */
  #tidy(root: string): void {
    if (monotonicMs() < this.#tidyAtMs) return
    this.#tidyAtMs = monotonicMs() + tidyEveryMs
    for (const name of pruneSessions(root, this.#keep, this.session)) this.#gone.add(name)
  }
}

/** The outputs of one session, beneath a directory of their own and nowhere else. */
export function scratchpadIn(directory: string): Scratchpad {
  return new Scratchpad({ XDG_STATE_HOME: directory, TMPDIR: directory }, kept)
}
