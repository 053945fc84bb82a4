import { readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { makeDirectories } from '../base/directories.ts'
import { packageFile } from '../base/package-file.ts'
import { codeOf, exists } from './files.ts'
import type { LoadedConfig, Source } from './load.ts'
import type { ConfigKey } from './schema.ts'
import { tomlText } from './toml-text.ts'

/** One line of `vitrine config show`. */
export interface ConfigRow {
  readonly key: ConfigKey
  readonly value: unknown
  /** The value as it would stand in a TOML file. */
  readonly text: string
  readonly source: Source
  /** File, variable or flag; empty for a default. */
  readonly where: string
}

/** What became of a new config file. `failed` carries the errno of the system call. */
export type InitOutcome =
  | { readonly kind: 'written' | 'exists'; readonly file: string }
  | { readonly kind: 'failed'; readonly file: string; readonly errno: string }

const EXAMPLE_FILE = 'config.example.toml'

/** Every key with its value in force and where that comes from, in the schema's order. */
export function configRows({ sources }: LoadedConfig): readonly ConfigRow[] {
  return Object.entries(sources).map(([key, { value, source, where }]) => {
    return { key: key as ConfigKey, value, text: tomlText(value), source, where }
  })
}

/** Writes a config file in which every key stands, commented out, with its default; a file that exists is left alone. */
export function initConfig(file: string): InitOutcome {
  try {
    makeDirectories(dirname(file), 0o777)
    writeFileSync(file, commentedOut(readFileSync(packageFile(EXAMPLE_FILE), 'utf8')), { flag: 'wx' })
    return { kind: 'written', file }
  } catch (error) {
    if (exists(file)) return { kind: 'exists', file }
    return { kind: 'failed', file, errno: codeOf(error) }
  }
}

/** A default that is written down would stay when a later version has another one. */
function commentedOut(toml: string): string {
  return toml.replace(/^\w+ = /gm, '# $&')
}
