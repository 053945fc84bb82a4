import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { tried } from '../base/errno.ts'
import { baseDirectory } from '../base/paths.ts'
import type { Environment, Mode } from '../base/types.ts'
import type { LoadedConfig } from '../internal.ts'
import { attachable } from './names.ts'
import type { Piece } from './pieces.ts'

/** What was written into one file. */
export interface Written {
  readonly file: string
  /** Null: there was no such file. */
  readonly before: string | null
  readonly after: string
  readonly pieces: readonly Piece[]
}

/** Of an attached client: what its detaching takes out again. */
export interface Record {
  readonly version: 1
  readonly mode: Mode
  readonly managed: boolean
  /** What the client's entry asked for, without what the client itself was asked about. */
  readonly asked: readonly Piece[]
  readonly written: readonly Written[]
  /** Directories that were made for all of this, the outermost first. */
  readonly made: readonly string[]
}

/** Where the programs and the record of an attached client are: no command may change them. */
export function directoryFor(name: string, env: Environment): string {
  return join(baseDirectory(env, 'XDG_STATE_HOME'), 'vitrine', 'attached', name)
}

export const recordFile = (name: string, env: Environment) => join(directoryFor(name, env), 'attached.json')

/** Undefined: it is not attached. */
export function recordOf(name: string, env: Environment): Record | undefined {
  const text = tried(() => readFileSync(recordFile(name, env), 'utf8'))
  return text === undefined ? undefined : JSON.parse(text)
}

/** Protects what attaching wrote: a link in the workspace's place, such as a dotfile manager's, may lead there. */
export function withAttached(loaded: LoadedConfig, env: Environment): LoadedConfig {
  const written = attachable.flatMap((name) => recordOf(name, env)?.written ?? [])
  const files = written.map(({ file }) => ({ file, source: 'user', trusted: true }) as const)
  return { ...loaded, files: [...loaded.files, ...files] }
}
