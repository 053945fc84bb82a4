import { lstatSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { errorCode, errorReason, tried } from '../../base/errno.ts'
import { makeDirectories, replaceFile } from '../../base/files.ts'

/** When a workspace was walked, and what that told. */
export interface WalkRecord {
  /** Milliseconds since 1970. */
  readonly at: number
  readonly tookMs: number
  readonly isWhole: boolean
}

/** Repositories that are recorded of one workspace; of further ones the record only says that there are some. */
export const maxRecorded = 1000

/**
 * What is known of the repositories of a workspace, in the state directory: a file for each repository, so that processes can add some at
 * the same time, and one about the last walk.
 */
export class WorkspaceRecord {
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
