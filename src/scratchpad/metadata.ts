import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as v from 'valibot'
import { tried } from '../base/errno.ts'
import { modes } from '../base/types.ts'

const metadata = () =>
  v.object({
    command: v.union([v.string(), v.array(v.string())]),
    cwd: v.string(),
    mode: v.picklist(modes),
    outcome: v.string(),
    exitCode: v.nullable(v.number()),
    signal: v.nullable(v.string()),
    started: v.string(),
    durationMs: v.number(),
    bytes: v.number(),
    binary: v.boolean(),
  })

export type EntryMetadata = Readonly<v.InferOutput<ReturnType<typeof metadata>>>

/** Entry names never begin with a dot, so none collides. */
export function metadataPath(directory: string, name: string): string {
  return join(directory, `.${name}.json`)
}

/** Writes the metadata beside the output, atomically. */
export function writeMetadata(directory: string, name: string, value: EntryMetadata): void {
  const path = metadataPath(directory, name)
  const unfinished = `${path}.new`
  writeFileSync(unfinished, `${JSON.stringify(value)}\n`, { mode: 0o600, flag: 'wx' })
  renameSync(unfinished, path)
}

/** `undefined` if missing or altered. */
export function readMetadata(directory: string, name: string): EntryMetadata | undefined {
  return tried(() => v.parse(metadata(), JSON.parse(readFileSync(metadataPath(directory, name), 'utf8'))))
}
