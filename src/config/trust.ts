import { createHash, randomUUID } from 'node:crypto'
import { closeSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import * as v from 'valibot'
import {
  codeOf,
  type Environment,
  existingRealPath,
  readConfigFile,
  trustStoreFile,
  unreadable,
} from './files.ts'

/** Real paths of trusted project files, each with the SHA-256 of the content that was trusted. */
type TrustedFiles = Readonly<Record<string, string>>

const storeSchema = v.object({ version: v.literal(1), files: v.record(v.string(), v.string()) })

/** Whether the user has trusted this very content at the file's real path. Throws CONFIG_INVALID when the store is damaged. */
export function isTrusted(file: string, content: string, env: Environment, home?: string): boolean {
  const path = existingRealPath(file)
  const trusted = path === undefined ? undefined : new Map(Object.entries(readStore(env, home))).get(path)
  return trusted === digest(content)
}

/** Trusts a project file as it is now, and returns its real path. Throws CONFIG_INVALID when it cannot be read. */
export function trust(file: string, env: Environment, home?: string): string {
  const path = existingRealPath(file)
  const content = path === undefined ? undefined : readConfigFile(path)
  if (path === undefined || content === undefined) throw unreadable(file, 'it does not exist')
  writeStore({ ...readStore(env, home), [path]: digest(content) }, env, home)
  return path
}

/** Takes the trust back; says whether there was any. */
export function untrust(file: string, env: Environment, home?: string): boolean {
  const path = existingRealPath(file) ?? file
  const before = Object.entries(readStore(env, home))
  const after = before.filter(([trusted]) => trusted !== path)
  if (after.length === before.length) return false
  writeStore(Object.fromEntries(after), env, home)
  return true
}

function digest(content: string): string {
  return createHash('sha256').update(content).digest('hex')
}

function readStore(env: Environment, home?: string): TrustedFiles {
  const file = trustStoreFile(env, home)
  const text = readConfigFile(file)
  if (text === undefined) return {}
  const store = v.safeParse(storeSchema, parsedJson(text))
  if (!store.success) throw unreadable(file, 'it is damaged: remove it and trust your project files again')
  return store.output.files
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // What is no JSON is no store; the schema refuses undefined.
    return undefined
  }
}

function writeStore(files: TrustedFiles, env: Environment, home?: string): void {
  const file = trustStoreFile(env, home)
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    replaceFile(file, `${JSON.stringify({ version: 1, files }, null, 2)}\n`)
  } catch (error) {
    throw unreadable(file, `it cannot be written (${codeOf(error)})`)
  }
}

// rename(2) is atomic: a reader sees the old store or the new one, and a crash leaves one of them whole.
function replaceFile(file: string, text: string): void {
  const temporary = `${file}.${randomUUID()}`
  try {
    writeSynced(temporary, text)
    renameSync(temporary, file)
  } finally {
    rmSync(temporary, { force: true })
  }
}

function writeSynced(file: string, text: string): void {
  const descriptor = openSync(file, 'wx', 0o600)
  try {
    writeSync(descriptor, text)
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
