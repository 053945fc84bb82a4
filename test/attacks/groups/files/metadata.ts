import { type Attack, attack, by } from '../../attack.ts'
import { capability } from '../../needs.ts'
import { files } from '../../targets/files.ts'

const row = (attempt: string, choices: Parameters<typeof attack>[3] = {}) =>
  attack(attempt, by('metadata', attempt, '{file}'), files, choices)

/** A change of owner clears the set-user-ID bit, even where the owner stays the same. */
const ofOwner = (attempt: string) => attack(attempt, by('metadata', attempt, '{setuid}'), files)

/** Mode, owner, times, extended attributes: nothing that Landlock sees. */
export const metadata: readonly Attack[] = [
  row('chmod'),
  row('fchmod'),
  row('fchmodat'),
  row('fchmodat2'),
  row('fchmodat2 AT_EMPTY_PATH'),
  row('chmod /proc/self/fd'),
  attack('chmod a directory', by('metadata', 'chmod', '{empty}'), files),
  ofOwner('chown'),
  ofOwner('lchown'),
  ofOwner('fchown'),
  ofOwner('fchownat'),
  ofOwner('fchownat AT_EMPTY_PATH'),
  row('chown to another user', { control: { kind: 'change', needs: [capability('CAP_CHOWN')] } }),
  row('utime'),
  row('utimes'),
  row('futimesat'),
  row('utimensat'),
  row('futimens'),
  row('touch'),
  row('setxattr'),
  row('lsetxattr'),
  row('fsetxattr'),
  row('setxattr replace'),
  row('removexattr'),
  row('lremovexattr'),
  row('fremovexattr'),
  row('setxattrat'),
  row('removexattrat'),
  row('setxattr trusted', { control: { kind: 'change', needs: [capability('CAP_SYS_ADMIN')] } }),
  row('file_setattr'),
  row('posix acl'),
  row('file capability', { control: { kind: 'change', needs: [capability('CAP_SETFCAP')] } }),
]
