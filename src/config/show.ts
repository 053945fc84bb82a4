import { closeSync, openSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { makeDirectories } from '../base/files.ts'
import { packageFile } from '../base/package-file.ts'
import type { Environment } from '../base/types.ts'
import { codeOf, exists } from './files.ts'
import type { LoadedConfig } from './load.ts'
import type { ConfigKey } from './schema.ts'
import { tomlText } from './toml.ts'

/** The lines of `vitrine config show`. */
export function configRows({ sources }: LoadedConfig) {
  return Object.entries(sources).map(([key, { value, source, where }]) => {
    return { key: key as ConfigKey, value, text: tomlText(value), source, where }
  })
}

/** Writes every key and its default, commented out. Never overwrites a file. */
export function initConfig(file: string): 'written' | 'exists' | { readonly errno: string } {
  try {
    makeDirectories(dirname(file), 0o777)
    writeNew(file, commentedOut(readFileSync(packageFile('config.example.toml'), 'utf8')))
    return 'written'
  } catch (error) {
    if (exists(file)) return 'exists'
    return { errno: codeOf(error) }
  }
}

/** Leaves no part of a file on a full disk. */
function writeNew(file: string, text: string): void {
  const descriptor = openSync(file, 'wx')
  try {
    writeFileSync(descriptor, text)
  } catch (error) {
    unlinkSync(file)
    throw error
  } finally {
    closeSync(descriptor)
  }
}

/** Commented out, so that a later version can change its defaults. */
function commentedOut(toml: string): string {
  return toml.replace(/^\w+ = /gm, '# $&')
}

/** Returns the real path. Throws CONFIG_INVALID. The store is imported late: it loads node:crypto. */
export async function trustProjectFile(file: string, env: Environment): Promise<string> {
  const { trust } = await import('./trust.ts')
  return trust(file, env)
}

/** Whether the user has trusted this content of the file. Throws CONFIG_INVALID for a damaged store. */
export async function isTrustedFile(file: string, content: string, env: Environment): Promise<boolean> {
  const trusted = await import('./trust.ts')
  return trusted.isTrusted(file, content, env)
}
