import type { Enforcement } from '../base/types.ts'
import type { Config } from '../config/schema.ts'
import { unavailable } from '../messages/error.ts'
import { limitsNote, privateTmpNote, withoutSessions } from '../messages/limits.ts'
import type { Probe } from '../sandbox/sandbox.ts'
import type { LimitHolder, Limits } from './launch.ts'

/** Null if none is set. The size of the private tmp is limited only if there is one. */
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

/** Throws SANDBOX_UNAVAILABLE when the configuration sets limits that nothing here can hold. */
export function checkLimits(config: Config['limits'], holder: LimitHolder): void {
  if ('by' in holder || limitsOf(config, false) === null) return
  throw unavailable({ for: 'limits', ...holder })
}

/** Always by the monitor, and by a cgroup per command where the system delegates one. */
export function linuxLimits({
  cgroup,
  cgroupMissing,
  sessions,
}: Pick<Probe, 'cgroup' | 'cgroupMissing' | 'sessions'>): LimitHolder {
  if (!sessions) return withoutSessions
  const by = cgroup === '' ? 'rlimit+watch' : 'cgroup+rlimit+watch'
  return { by, note: limitsNote(cgroup, cgroupMissing) }
}

/** Without a holder only the default size of the private tmp gets here: other limits are refused. */
export function limitsEnforcement(limits: Limits | null, holder: LimitHolder): Enforcement {
  if (!limits) return {}
  if ('by' in holder) return { limits: { enforced: true, ...holder } }
  return { limits: { enforced: false, by: 'none', note: privateTmpNote(holder, limits.privateTmpBytes) } }
}
