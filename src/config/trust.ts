import { createHash } from 'node:crypto'
import { basename, dirname, join } from 'node:path'
import * as v from 'valibot'
import { tried } from '../base/errno.ts'
import { makeDirectories, replaceFile } from '../base/files.ts'
import type { Environment } from '../base/types.ts'
import { fileProblems } from '../messages/config.ts'
import { codeOf, existingRealPath, readConfigFile, trustStoreFile, unreadableFile } from './files.ts'

/** Trusted project files by identity (`identityOf`), each with the SHA-256 of the trusted content. */
type TrustedFiles = Readonly<Record<string, string>>

const storeSchema = v.object({ version: v.literal(1), files: v.record(v.string(), v.string()) })

/** Whether the user has trusted this content in this file. Throws CONFIG_INVALID for a damaged store. */
export function isTrusted(file: string, content: string, env: Environment, home?: string): boolean {
  const identity = identityOf(file)
  return identity !== undefined && readStore(env, home)[identity] === digest(content)
}

/** The real path; for a symlink itself: any project could link to a file trusted in another. */
function identityOf(file: string): string | undefined {
  const [target, directory] = [existingRealPath(file), existingRealPath(dirname(file))]
  if (target === undefined || directory === undefined) return undefined
  const place = join(directory, basename(file))
  return place === target ? target : `${place} -> ${target}`
}

/** Trusts the file as it is, and returns its real path. Throws CONFIG_INVALID when it cannot be read. */
export function trust(file: string, env: Environment, home?: string): string {
  const [path, identity] = [existingRealPath(file), identityOf(file)]
  const content = path === undefined ? undefined : readConfigFile(path)
  if (path === undefined || identity === undefined || content === undefined)
    throw unreadableFile(file, fileProblems.missing)
  writeStore({ ...readStore(env, home), [identity]: digest(content) }, env, home)
  return path
}

function digest(content: string): string {
  return createHash('sha256').update(content).digest('hex')
}

function readStore(env: Environment, home?: string): TrustedFiles {
  const file = trustStoreFile(env, home)
  const text = readConfigFile(file)
  if (text === undefined) return {}
  // The schema refuses undefined: what is not JSON counts as damaged.
  const store = v.safeParse(
    storeSchema,
    tried(() => JSON.parse(text)),
  )
  if (!store.success) throw unreadableFile(file, fileProblems.damagedTrust)
  return store.output.files
}

function writeStore(files: TrustedFiles, env: Environment, home?: string): void {
  const file = trustStoreFile(env, home)
  try {
    makeDirectories(dirname(file), 0o700)
    replaceFile(file, `${JSON.stringify({ version: 1, files }, null, 2)}\n`, 0o600)
  } catch (error) {
    throw unreadableFile(file, fileProblems.notWritable(codeOf(error)))
  }
}
