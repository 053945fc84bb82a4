import type { Config } from '../config/schema.ts'
import { VitrineError } from '../errors.ts'
import type { Enforcement } from '../result/result.ts'
import type { LimitHolder, Limits } from './launch.ts'

/** The limits of the configuration, null where none is set. A private TMPDIR has its size limited where there is one. */
export function limitsOf(config: Config['limits'], privateTmp: boolean): Limits | null {
  const limits = {
    memoryBytes: config.memory_bytes,
    cpuSeconds: config.cpu_seconds,
    processes: config.processes,
    openFiles: config.open_files,
    privateTmpBytes: privateTmp ? config.private_tmp_bytes : 0,
  }
  return Object.values(limits).some((value) => value > 0) ? limits : null
}

/** Throws SANDBOX_UNAVAILABLE when limits are set for every command, and nothing here can hold them. */
export function checkLimits(config: Config['limits'], holder: LimitHolder): void {
  if ('by' in holder || limitsOf(config, false) === null) return
  throw new VitrineError({ code: 'SANDBOX_UNAVAILABLE', for: 'limits', ...holder })
}

/** The row about limits, where some are set. */
export function limitsEnforcement(limits: Limits | null, holder: LimitHolder): Enforcement {
  if (!limits || !('by' in holder)) return {}
  return { limits: { enforced: true, ...holder } }
}
