import { appendFileSync, chmodSync, readFileSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { makeDirectories } from '../../base/directories.ts'
import { errorReason } from '../../base/errno.ts'
import { replaceFile } from '../../base/replace-file.ts'

const maxLines = 1000

/** The typed lines of all runs, in a file only its owner can read; none that begins with a blank. */
export class History {
  readonly lines: string[]
  readonly #file: string
  #failed: string | undefined

  constructor(file: string) {
    this.#file = file
    const kept = this.#read()
    this.lines = kept.slice(-maxLines).reverse()
    // Replaces the file instead of truncating it: another shell may be appending to it.
    const text = `${kept.slice(-maxLines).join('\n')}\n`
    if (kept.length > 2 * maxLines) this.#attempt(() => replaceFile(this.#file, text, 0o600))
  }

  /** Why lines cannot be saved, as a system error's code. Reported once. */
  takeFailure(): string | undefined {
    const failed = this.#failed
    if (failed !== undefined) this.#failed = ''
    return failed || undefined
  }

  add(line: string): void {
    if (line.trim() === '' || line.startsWith(' ') || line === this.lines[0]) return
    this.lines.unshift(line)
    this.lines.length = Math.min(this.lines.length, maxLines)
    this.#attempt(() => {
      makeDirectories(dirname(this.#file), 0o700)
      appendFileSync(this.#file, `${line}\n`, { mode: 0o600 })
    })
  }

  #read(): string[] {
    try {
      if ((statSync(this.#file).mode & 0o077) !== 0) chmodSync(this.#file, 0o600)
      return readFileSync(this.#file, 'utf8')
        .split('\n')
        .filter((line) => line !== '')
    } catch (error) {
      if (errorReason(error) !== 'ENOENT') this.#failed = errorReason(error)
      return []
    }
  }

  #attempt(write: () => void): void {
    if (this.#failed !== undefined) return
    try {
      write()
    } catch (error) {
      this.#failed = errorReason(error)
    }
  }
}
