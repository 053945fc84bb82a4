import type { Dirent } from 'node:fs'
import { join } from 'node:path'
import { monotonicMs, within } from '../../base/clock.ts'
import { errorCode } from '../../base/errno.ts'

export interface Walked {
  /** Directories that are the top of a repository, or that git may take for one: absolute paths. */
  readonly tops: readonly string[]
  /** Every directory was looked into. */
  readonly isWhole: boolean
}

interface WalkOptions {
  readonly ms?: number
  readonly signal?: AbortSignal
  /** Called for each entry that is no directory. */
  readonly file?: (path: string) => void
}

const maxEntries = 200_000

/** Directories that are read at once: Node has four threads for it. */
const atOnce = 8

/** Looks for repositories in a directory and below, without following links. */
export async function walkFor(top: string, options: WalkOptions): Promise<Walked> {
  const { ms = 2000 } = options
  const walk = new Walk(top, options, monotonicMs() + ms)
  const isWhole = await within(walk.run(), ms, false)
  // A file system that does not answer may still do so.
  walk.isOver = true
  return { tops: walk.tops, isWhole: isWhole && walk.isWhole }
}

class Walk {
  readonly tops: string[] = []
  isWhole = true
  isOver = false
  readonly #top: string
  readonly #options: WalkOptions
  readonly #until: number
  #entries = 0

  constructor(top: string, options: WalkOptions, until: number) {
    this.#top = top
    this.#options = options
    this.#until = until
  }

  /** Level by level, so that what lies near the top is found within the bounds. False: it reached one. */
  async run(): Promise<boolean> {
    for (let level = [this.#top]; level.length > 0; ) {
      const next: string[] = []
      for (let at = 0; at < level.length; at += atOnce) {
        if (this.#mustEnd()) return false
        await Promise.all(level.slice(at, at + atOnce).map((directory) => this.#look(directory, next)))
      }
      level = next
    }
    return true
  }

  #mustEnd(): boolean {
    const isStopped = this.isOver || this.#options.signal?.aborted
    return isStopped || this.#entries >= maxEntries || monotonicMs() >= this.#until
  }

  async #look(directory: string, next: string[]): Promise<void> {
    // Late: it loads node:readline, and other modes walk nowhere.
    const { readdir } = process.getBuiltinModule('node:fs/promises')
    const found = await readdir(directory, { withFileTypes: true }).catch((error) => this.#missed(error))
    this.#entries += found.length
    if (!this.isOver) this.#take(directory, found, next)
  }

  /** It may be gone by now. */
  #missed(error: unknown): readonly Dirent[] {
    if (errorCode(error) !== 'ENOENT') this.isWhole = false
    return []
  }

  #take(directory: string, found: readonly Dirent[], next: string[]): void {
    const names = new Set(found.map(({ name }) => name.toLowerCase()))
    const isBare = names.has('objects') && names.has('refs')
    if (isBare || names.has('.git')) this.tops.push(directory)
    // What a git directory holds is looked at with its repository.
    if (isBare && directory !== this.#top) return
    for (const entry of found) {
      const path = join(directory, entry.name)
      if (!entry.isDirectory()) this.#options.file?.(path)
      // Names that are not UTF-8 cannot be asked for as text.
      else if (path.includes('\ufffd')) this.isWhole = false
      else if (entry.name.toLowerCase() !== '.git') next.push(path)
    }
  }
}
