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

interface WalkBounds {
  readonly entries: number
  readonly ms: number
}

interface WalkOptions {
  readonly bounds: WalkBounds
  readonly signal?: AbortSignal | undefined
  /** Called for each entry that is no directory. */
  readonly file?: (path: string) => void
}

export const walkBounds: WalkBounds = { entries: 200_000, ms: 2000 }

/** Directories that are read at once: Node has four threads for it. */
const atOnce = 8

/** Looks for repositories in a directory and below, without following links. */
export async function walkFor(top: string, options: WalkOptions): Promise<Walked> {
  const walk = new Walk(top, options)
  const isWhole = await within(walk.run(), options.bounds.ms, false)
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

  constructor(top: string, options: WalkOptions) {
    this.#top = top
    this.#options = options
    this.#until = monotonicMs() + options.bounds.ms
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
    const { bounds, signal } = this.#options
    return this.isOver || signal?.aborted || this.#entries >= bounds.entries || monotonicMs() >= this.#until
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
    for (const entry of found)
      if (!entry.isDirectory()) this.#options.file?.(join(directory, entry.name))
      else if (entry.name.toLowerCase() !== '.git') this.#enter(join(directory, entry.name), next)
  }

  /** Names that are not UTF-8 cannot be asked for as text. */
  #enter(directory: string, next: string[]): void {
    if (directory.includes('\ufffd')) this.isWhole = false
    else next.push(directory)
  }
}
