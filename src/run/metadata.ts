import type { AnyResult } from '../base/types.ts'
import type { CompleteRequest } from '../request/request.ts'
import type { EntryMetadata } from '../scratchpad/metadata.ts'

export function metadataOf({ work, cwd }: CompleteRequest, result: AnyResult): EntryMetadata {
  const { mode, outcome, exitCode, signal, durationMs, bytes, binary } = result
  return {
    command: work.kind === 'line' ? work.line : [...work.argv],
    cwd,
    mode,
    outcome: outcome.kind,
    exitCode,
    signal,
    started: new Date(Date.now() - durationMs).toISOString(),
    durationMs: Math.round(durationMs),
    bytes,
    binary,
  }
}
