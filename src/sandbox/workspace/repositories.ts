import { lstatSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { monotonicMs } from '../../base/clock.ts'
import { errorCode, errorReason, tried } from '../../base/errno.ts'
import { makeDirectories, replaceFile } from '../../base/files.ts'
import { isBeneath } from '../../base/paths.ts'
import type { Looks } from './looks.ts'
import { type Walked, walkFor } from './walk.ts'

/** What is known of a workspace's repositories, besides what git's index and a look at its top tell. */
interface KnownRepositories {
  readonly tops: readonly string[]
  /** Why there may be more; undefined: none are missing. */
  readonly lacks?: string | undefined
}

/** When a workspace was walked, and what that told. */
interface WalkRecord {
  /** Milliseconds since 1970. */
  readonly at: number
  readonly tookMs: number
  readonly isWhole: boolean
}

/** Between the walks beside commands: at least so long, and so many times as long as the last one took. */
const restMs = 10_000
const restFactor = 50

/** Repositories that are recorded of one workspace; of further ones the record only says that there are some. */
const maxRecorded = 1000

/**
 * The repositories of one workspace: those that commands make, and those that walks find. They are recorded in the state directory: a
 * file for each repository, so that processes can add some at the same time, and one about the last walk.
 */
export class Repositories {
  readonly #workspace: string
  /** Changes with each repository that is added or taken out. */
  readonly #record: string
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
    this.#record = join(state, nameOf(workspace))
    this.#last = lastWalk(walkFile(this.#record))
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
    looks.status(this.#record)
    if (this.#reason !== undefined) looks.isComplete = false
    const recorded = tried(() => recordedIn(this.#record))
    if (!recorded) looks.refuse(this.#record, unreadable, letRead)
    this.#told = new Set([...(recorded ?? []), ...this.#unsaved])
    return { tops: [...this.#told].sort(), lacks: this.#lacks() }
  }

  #lacks(): string | undefined {
    if (this.#told.size >= maxRecorded) return `only ${maxRecorded} repositories are protected`
    if (this.#reason !== undefined)
      return `repositories that commands make are forgotten with this process (${this.#reason})`
    return this.#last?.isWhole === false
      ? 'not every directory was searched for repositories: those not found are not protected'
      : undefined
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
    const walked = await walkFor(this.#workspace, { signal })
    if (signal.aborted) return walked
    this.#add(walked.tops)
    const last = { at: Date.now(), tookMs: Math.ceil(monotonicMs() - begun), isWhole: walked.isWhole }
    this.#last = last
    const text = `${JSON.stringify({ workspace: this.#workspace, ...last })}\n`
    this.#save(() => replaceFile(walkFile(this.#record), text, 0o600))
    return walked
  }

  #add(tops: readonly string[]): void {
    const recorded = tried(() => recordedIn(this.#record)) ?? []
    const gone = recorded.filter((top) => !isPossible(top))
    for (const top of gone) tried(() => rmSync(join(this.#record, nameOf(top)), { force: true }))
    const isNew = (top: string) => isBeneath(top, this.#workspace) && !recorded.includes(top)
    const added = tops.filter((top) => top !== this.#workspace && isNew(top))
    const room = Math.max(0, maxRecorded - recorded.length + gone.length)
    if (added.length === 0) return
    this.#save(() => {
      for (const top of added.slice(0, room)) replaceFile(join(this.#record, nameOf(top)), top, 0o600)
    })
    if (this.#reason !== undefined) for (const top of added) this.#unsaved.add(top)
  }

  /** Remembers the first error of the file system. */
  #save(write: () => void): void {
    try {
      makeDirectories(this.#record, 0o700)
      write()
    } catch (error) {
      if (errorCode(error) === undefined) throw error
      this.#reason ??= errorReason(error)
    }
  }

  /** Ends a walk. */
  close(): void {
    this.#end.abort()
  }
}

const unreadable = 'the record of the repositories of the workspace, which cannot be read'
const letRead = 'let vitrine read that directory (permissions, "ulimit -n"), or remove it'

/** The top of the repository that a `.git`, or a directory with `objects` and `refs`, is of. */
export function topOf(path: string): string {
  return basename(path).toLowerCase() === '.git' ? dirname(path) : path
}

/** Git takes it for a repository, or would with a HEAD. */
function isPossible(top: string): boolean {
  const isThere = (name: string) => tried(() => lstatSync(join(top, name))) !== undefined
  return isThere('.git') || (isThere('objects') && isThere('refs'))
}

/** The tops of the repositories: absolute paths. Throws if it cannot be read. */
function recordedIn(record: string): readonly string[] {
  // In a state directory of another user's, as of a host that became another one, nothing was recorded, or can be.
  const names = unless(['ENOENT', 'ENOTDIR', 'EACCES'], () => lstatSync(record)) ? readdirSync(record) : []
  const texts = names.map((name) => unless(['ENOENT'], () => readFileSync(join(record, name), 'utf8')))
  // A file that is still being written has another name.
  return texts.flatMap((text, at) => (text !== undefined && nameOf(text) === names[at] ? [text] : []))
}

function unless<T>(codes: readonly string[], look: () => T): T | undefined {
  try {
    return look()
  } catch (error) {
    if (codes.includes(errorCode(error) ?? '')) return undefined
    throw error
  }
}

function walkFile(record: string): string {
  return `${record}.json`
}

/** Undefined: the workspace was never walked, as far as is known. */
function lastWalk(file: string): WalkRecord | undefined {
  const { at, tookMs, isWhole } = tried(() => JSON.parse(readFileSync(file, 'utf8'))) ?? {}
  const isRecord = typeof at === 'number' && typeof tookMs === 'number' && typeof isWhole === 'boolean'
  return isRecord ? { at, tookMs, isWhole } : undefined
}

function nameOf(path: string): string {
  const name = encodeURIComponent(path)
  if (name.length <= 200) return name
  // Late, and only for what is too long a name: loading it takes as long as looking for the repositories.
  const { createHash } = process.getBuiltinModule('node:crypto')
  return createHash('sha256').update(path).digest('hex').slice(0, 32)
}
