import { type Attack, attack, by, each } from '../../attack.ts'
import { files } from '../../targets/files.ts'
import { inheritedDescriptors } from '../../targets/host.ts'

/** Write mode closes what was left open as well, so the control is child_process, which does not. */
const plainly = { control: { kind: 'change', plain: true } } as const

const left = (attempt: string, ...words: readonly string[]) =>
  attack(
    `${attempt} on a descriptor that was left open`,
    by('fds', attempt, ...words),
    inheritedDescriptors,
    plainly,
  )

/** Descriptors: those that the host forgot to close, and those that the command is given. */
export const fds: readonly Attack[] = [
  ...each(left, 'write | ftruncate | reopen', '{descriptor}'),
  left('openat', '{directoryDescriptor}', 'new'),
  attack('any descriptor above 2', by('fds', 'any descriptor'), inheritedDescriptors, {
    control: { kind: 'success', plain: true },
  }),
  attack('write to a file given as standard input', by('fds', 'standard input'), files, {
    stdin: { path: '{file}', flags: 'r+' },
  }),
  attack('write to such a file opened anew', by('fds', 'standard input anew'), files, {
    stdin: { path: '{file}', flags: 'r' },
  }),
  attack('chmod of such a file', by('metadata', 'fchmod', '/proc/self/fd/0'), files, {
    stdin: { path: '{file}', flags: 'r' },
  }),
]
