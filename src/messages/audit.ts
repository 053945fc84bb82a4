import type { AuditFault } from '../base/refusal.ts'

const reasons: Readonly<Record<string, string>> = {
  ENOSPC: 'no space is left there',
  EDQUOT: 'the quota is used up',
  EFBIG: 'it is as large as a file may be',
  EACCES: 'permission denied',
  EPERM: 'not permitted',
  EROFS: 'the file system is read-only',
  ELOOP: 'it is a symbolic link',
  EISDIR: 'it is a directory',
  ENOTDIR: 'a part of the path is no directory',
  busy: 'another process has kept its lock for more than 5 s',
}

/** `no-locks`: Node itself has none on this system. */
const withoutLocks = 'this system has none without the native addon: build it, or leave [audit] path empty'

const steps: Readonly<Record<AuditFault['step'], string>> = {
  directory: 'its directory cannot be made',
  lock: 'its lock cannot be taken',
  open: 'it cannot be opened',
  room: 'there is no room for it',
  write: 'it cannot be written',
  rotate: 'it cannot be rotated',
}

/** Why a command did not run that has to be recorded. */
export function describeAuditFailure({ path, step, reason }: AuditFault): string {
  if (reason === 'no-locks') return `The audit log ${path} needs a lock, and ${withoutLocks}. Nothing ran.`
  return `The audit log ${path}: ${steps[step]} (${reasons[reason] ?? reason}). [audit] required = true, so nothing runs until it works again: make room, or mend the path and its permissions.`
}

/** Said with what became of a command. */
export function lostLine({ path, step, reason }: AuditFault): string {
  return `This command is missing in the audit log ${path}: ${steps[step]} (${reasons[reason] ?? reason}).`
}
