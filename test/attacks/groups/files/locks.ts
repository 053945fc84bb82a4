import { type Attack, attack, by, type Choices, each, neverUnsandboxed, succeeds } from '../../attack.ts'
import { files, lockable } from '../../targets/files.ts'

const row = (attempt: string, choices: Choices = {}) =>
  attack(attempt, by('locks', attempt, '{file}', '{release}'), lockable, choices)

const byTheKernel = neverUnsandboxed('the kernel itself asks for a descriptor open for writing', 'EBADF')

/** Locks and leases that keep other processes waiting; /proc/locks is read while the attacker holds them. */
export const locks: readonly Attack[] = [
  ...each(
    row,
    `
    flock LOCK_EX | flock LOCK_EX, high bits | flock LOCK_SH, then LOCK_EX | F_SETLK F_WRLCK |
    F_OFD_SETLK F_WRLCK | F_SETLEASE | F_SETLEASE, high bits
  `,
  ),
  ...each(row, 'F_SETLK F_WRLCK read-only | F_OFD_SETLK F_WRLCK read-only', { control: byTheKernel }),
  row('F_SETDELEG', {
    control: { kind: 'change', hostMayRefuse: { EINVAL: 'this kernel does not know delegations' } },
  }),
  attack('F_NOTIFY', by('locks', 'F_NOTIFY', '{directory}'), files, { control: succeeds }),
  attack('F_SET_RW_HINT', by('locks', 'F_SET_RW_HINT', '{file}'), files),
]
