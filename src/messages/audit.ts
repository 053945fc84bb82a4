import type { AuditFault } from '../base/refusal.ts'

/** Other reasons are names of errors: errno(3). */
const reasons: Readonly<Record<string, string>> = {
  ELOOP: 'it is a symbolic link',
  'not-a-file': 'it is not a regular file',
  busy: 'another process has held its lock for more than 5 s',
}

const steps: Readonly<Record<AuditFault['step'], string>> = {
  directory: 'its directory cannot be created',
  lock: 'its lock cannot be acquired',
  open: 'it cannot be opened',
  room: 'there is no room for it',
  write: 'it cannot be written',
  rotate: 'it cannot be rotated',
}

/** Why a command that must be recorded did not run. `no-locks`: Node has no file locks on this system. */
export function describeAuditFailure({ path, step, reason }: AuditFault): string {
  if (reason === 'no-locks')
    return `The audit log ${path} needs file locks, which this system has only with the native addon. The command did not run. Build the addon, or leave [audit] path empty.`
  return `The audit log ${path} does not work: ${steps[step]} (${reasons[reason] ?? reason}). Nothing runs until it does ([audit] required = true): free space, or fix the path and its permissions.`
}

export function lostLine({ path, step, reason }: AuditFault): string {
  return `This command is missing from the audit log ${path}: ${steps[step]} (${reasons[reason] ?? reason}).`
}
