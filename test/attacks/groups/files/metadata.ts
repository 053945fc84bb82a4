import { type Attack, attack, by, type Choices, each } from '../../attack.ts'
import { changesWith } from '../../needs.ts'
import { files } from '../../targets/files.ts'

const row = (attempt: string, choices: Choices = {}) =>
  attack(attempt, by('metadata', attempt, '{file}'), files, choices)

/** A change of owner clears the set-user-ID bit, even where the owner stays the same. */
const ofOwner = (attempt: string) => attack(attempt, by('metadata', attempt, '{setuid}'), files)

/** Mode, owner, times, extended attributes: nothing that Landlock sees. */
export const metadata: readonly Attack[] = [
  ...each(
    row,
    `
    chmod | fchmod | fchmodat | fchmodat2 | fchmodat2 AT_EMPTY_PATH | chmod /proc/self/fd | utime |
    utimes | futimesat | utimensat | futimens | touch | setxattr | lsetxattr | fsetxattr |
    setxattr replace | removexattr | lremovexattr | fremovexattr | setxattrat | removexattrat |
    file_setattr | posix acl
  `,
  ),
  attack('chmod a directory', by('metadata', 'chmod', '{empty}'), files),
  ...each(ofOwner, 'chown | lchown | fchown | fchownat | fchownat AT_EMPTY_PATH'),
  row('chown to another user', changesWith('CAP_CHOWN')),
  row('setxattr trusted', changesWith('CAP_SYS_ADMIN')),
  row('file capability', changesWith('CAP_SETFCAP')),
]
