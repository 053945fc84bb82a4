import { lstatSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { monotonicMs } from '../../base/clock.ts'
import { errorCode, errorReason, tried } from '../../base/errno.ts'
import { makeDirectories, replaceFile } from '../../base/files.ts'
import { isBeneath } from '../../base/paths.ts'
import type { RepositoriesLack } from '../sandbox.ts'
import type { Looks } from './looks.ts'
import { type Walked, walkBounds, walkFor } from './walk.ts'

/** What is known of a workspace's repositories, besides what git's index and a look at its top tell. */
interface KnownRepositories {
  readonly tops: readonly string[]
  /** Why there may be more; undefined: none are missing. */
  readonly lacks?: RepositoriesLack | undefined
}

/** Between the walks beside commands: at least so long, and so many times as long as the last one took. */
const restMs = 10_000
const restFactor = 50

/** The repositories of one workspace: those that commands make, and those that walks find. */
export class Repositories {
  readonly #workspace: string
  readonly #record: WorkspaceRecord
  /** Those that could not be recorded, and why. */
  readonly #unsaved = new Set<string>()
  #reason: string | undefined
  #last: WalkRecord | undefined
  #walking: Promise<Walked> | undefined
  /** Those that the last command was held from changing. */
  #told: ReadonlySet<string> = new Set()
  readonly #end = new AbortController()

  /** @param state a directory that no command may change */
  constructor(workspace: string, state: string) {
    this.#workspace = workspace
    this.#record = new WorkspaceRecord(state, workspace)
    this.#last = this.#record.lastWalk()
  }

  /** The first command ever in a workspace waits for a walk. */
  get isWalked(): boolean {
    return this.#last !== undefined
  }

  /** Resolves to what it found. One that goes on already is joined. */
  walk(): Promise<Walked> {
    this.#walking ??= this.#walk().finally(() => {
      this.#walking = undefined
    })
    return this.#walking
  }

  /** While a command runs: walks if the last time was long enough ago. */
  beside(): void {
    const { at = 0, tookMs = 0 } = this.#last ?? {}
    const isDue = Math.abs(Date.now() - at) > Math.max(restMs, restFactor * tookMs)
    if (isDue && !this.#end.signal.aborted) void this.walk()
  }

  /** As far as is known now. */
  known(looks: Looks): KnownRepositories {
    looks.status(this.#record.directory)
    if (this.#reason !== undefined) looks.isComplete = false
    const recorded = tried(() => this.#record.tops())
    if (!recorded) looks.refuse(this.#record.directory, 'record-unreadable')
    this.#told = new Set([...(recorded ?? []), ...this.#unsaved])
    return { tops: [...this.#told].sort(), lacks: this.#lacks(this.#told.size) }
  }

  #lacks(recorded: number): RepositoriesLack | undefined {
    if (recorded >= maxRecorded) return { kind: 'too-many' }
    if (this.#reason !== undefined) return { kind: 'unsaved', reason: this.#reason }
    return this.#last && !this.#last.isWhole ? { kind: 'unwalked' } : undefined
  }

  /** Records what a command has made. Returns what of it is there. */
  made(tops: readonly string[]): readonly string[] {
    const found = [...new Set(tops)].filter(isPossible)
    this.#add(found)
    return found
  }

  /** After a command of which not everything was seen: what a walk finds that was not protected from it. */
  async search(): Promise<readonly string[]> {
    const told = this.#told
    if (this.#walking) await this.#walking
    const { tops } = await this.walk()
    return tops.filter((top) => top !== this.#workspace && !told.has(top))
  }

  async #walk(): Promise<Walked> {
    const begun = monotonicMs()
    const { signal } = this.#end
    const walked = await walkFor(this.#workspace, { bounds: walkBounds, signal })
    if (signal.aborted) return walked
    this.#add(walked.tops)
    this.#last = { at: Date.now(), tookMs: Math.ceil(monotonicMs() - begun), isWhole: walked.isWhole }
    this.#reason ??= this.#record.walked(this.#last, this.#workspace)
    return walked
  }

  #add(tops: readonly string[]): void {
    const recorded = tried(() => this.#record.tops()) ?? []
    const gone = recorded.filter((top) => !isPossible(top))
    this.#record.remove(gone)
    const isNew = (top: string) => isBeneath(top, this.#workspace) && !recorded.includes(top)
    const added = tops.filter((top) => top !== this.#workspace && isNew(top))
    const room = Math.max(0, maxRecorded - recorded.length + gone.length)
    this.#reason ??= this.#record.add(added.slice(0, room))
    if (this.#reason !== undefined) for (const top of added) this.#unsaved.add(top)
  }

  /** Ends a walk. */
  close(): void {
    this.#end.abort()
  }
}

/** The top of the repository that a `.git`, or a directory with `objects` and `refs`, is of. */
export function topOf(path: string): string {
  return basename(path).toLowerCase() === '.git' ? dirname(path) : path
}

/** Git takes it for a repository, or would with a HEAD. */
function isPossible(top: string): boolean {
  const isThere = (name: string) => tried(() => lstatSync(join(top, name))) !== undefined
  return isThere('.git') || (isThere('objects') && isThere('refs'))
}

/** When a workspace was walked, and what that told. */
interface WalkRecord {
  /** Milliseconds since 1970. */
  readonly at: number
  readonly tookMs: number
  readonly isWhole: boolean
}

/** Repositories that are recorded of one workspace; of further ones the record only says that there are some. */
const maxRecorded = 1000

/**
 * What is known of the repositories of a workspace, in the state directory: a file for each repository, so that processes can add some at
 * the same time, and one about the last walk.
 */
class WorkspaceRecord {
  /** Changes with each repository that is added or taken out. */
  readonly directory: string
  readonly #walk: string

  /** @param state a directory that no command may change */
  constructor(state: string, workspace: string) {
    this.directory = join(state, nameOf(workspace))
    this.#walk = `${this.directory}.json`
  }

  /** The tops of the repositories: absolute paths. Throws if it cannot be read. */
  tops(): readonly string[] {
    const names = unlessMissing(() => (this.#isOutOfReach() ? [] : readdirSync(this.directory))) ?? []
    const texts = names.map((name) => unlessMissing(() => readFileSync(join(this.directory, name), 'utf8')))
    // A file that is still being written has another name.
    return texts.filter((text, at) => text !== undefined && nameOf(text) === names[at]) as string[]
  }

  /** In a state directory of another user's, as of a host that became another one: nothing was recorded there, or can be. */
  #isOutOfReach(): boolean {
    try {
      lstatSync(this.directory)
      return false
    } catch (error) {
      return errorCode(error) === 'EACCES'
    }
  }

  /** Why it could not be recorded; undefined: it is. */
  add(tops: readonly string[]): string | undefined {
    if (tops.length === 0) return undefined
    return failed(() => {
      makeDirectories(this.directory, 0o700)
      for (const top of tops) replaceFile(join(this.directory, nameOf(top)), top, 0o600)
    })
  }

  remove(tops: readonly string[]): void {
    for (const top of tops) tried(() => rmSync(join(this.directory, nameOf(top)), { force: true }))
  }

  /** Undefined: the workspace was never walked, as far as is known. */
  lastWalk(): WalkRecord | undefined {
    const { at, tookMs, isWhole } = tried(() => JSON.parse(readFileSync(this.#walk, 'utf8'))) ?? {}
    const isRecord = typeof at === 'number' && typeof tookMs === 'number' && typeof isWhole === 'boolean'
    return isRecord ? { at, tookMs, isWhole } : undefined
  }

  /** As of add(). */
  walked(record: WalkRecord, workspace: string): string | undefined {
    return failed(() => {
      makeDirectories(this.directory, 0o700)
      replaceFile(this.#walk, `${JSON.stringify({ workspace, ...record })}\n`, 0o600)
    })
  }
}

function unlessMissing<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(errorCode(error) ?? '')) return undefined
    throw error
  }
}

function nameOf(path: string): string {
  // Late: it costs start-up time, and other modes need none of this.
  const { createHash } = process.getBuiltinModule('node:crypto')
  return createHash('sha256').update(path).digest('hex').slice(0, 32)
}

/** An error of the file system becomes its reason. */
function failed(write: () => void): string | undefined {
  try {
    write()
    return undefined
  } catch (error) {
    if (errorCode(error) === undefined) throw error
    return errorReason(error)
  }
}
