import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as v from 'valibot'

const metadata = v.object({
  /** The shell line, or the argument vector. */
  command: v.union([v.string(), v.array(v.string())]),
  cwd: v.string(),
  mode: v.picklist(['read', 'write']),
  /** How the command ended: the outcome's kind. */
  outcome: v.string(),
  exitCode: v.nullable(v.number()),
  signal: v.nullable(v.string()),
  /** ISO 8601. */
  started: v.string(),
  durationMs: v.number(),
  bytes: v.number(),
  binary: v.boolean(),
})

/** What is known about a saved output beside its bytes. */
export type EntryMetadata = Readonly<v.InferOutput<typeof metadata>>

/** No entry's name begins with a dot, so no entry is in the way. */
function metadataPath(directory: string, name: string): string {
  return join(directory, `.${name}.json`)
}

/** Writes it beside the output, whole or not at all. */
export function writeMetadata(directory: string, name: string, value: EntryMetadata): void {
  const path = metadataPath(directory, name)
  const unfinished = `${path}.new`
  writeFileSync(unfinished, `${JSON.stringify(value)}\n`, { mode: 0o600, flag: 'wx' })
  renameSync(unfinished, path)
}

/** Undefined when the command's process ended before it wrote any, or when somebody changed it. */
export function readMetadata(directory: string, name: string): EntryMetadata | undefined {
  try {
    const parsed = v.safeParse(metadata, JSON.parse(readFileSync(metadataPath(directory, name), 'utf8')))
    return parsed.success ? parsed.output : undefined
  } catch {
    // ENOENT or SyntaxError: the listing shows the entry without it.
    return undefined
  }
}
