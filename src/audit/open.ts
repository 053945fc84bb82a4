import { loadLate } from '../base/process.ts'
import type { LoadedConfig } from '../config/load.ts'
import type { Host } from '../host/host.ts'
import type { Recorder, RecorderOptions } from './recorder.ts'

export type { AuditEntry, Recorder } from './recorder.ts'

/** Throws CONFIG_INVALID, AUDIT_FAILED. Imported late because most shells have no audit log. */
export async function openRecorder(
  host: Host,
  loaded: LoadedConfig,
  given: Pick<RecorderOptions, 'cwd' | 'env'>,
): Promise<Recorder | undefined> {
  const { path, required } = loaded.config.audit
  if (path === '' && !required) return undefined
  const { makeRecorder } = await loadLate(() => import('./recorder.ts'))
  return makeRecorder(host, loaded, given)
}
