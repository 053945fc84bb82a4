import { type Attack, attack, by, each, neverUnsandboxed } from '../../attack.ts'
import { files } from '../../targets/files.ts'
import { listenerAtPath } from '../../targets/listener.ts'

/** kernel.io_uring_disabled, Linux 6.6 */
const hostMayRefuse = { EPERM: 'kernel.io_uring_disabled forbids it' }

const row = (attempt: string, path: string, target = files) =>
  attack(attempt, by('uring', attempt, path), target, { control: { kind: 'change', hostMayRefuse } })

const onNothing = (attempt: string) =>
  attack(attempt, by('uring', attempt), files, {
    control: neverUnsandboxed('on no ring at all the kernel says EBADF', 'ENOSYS'),
  })

/** io_uring: calls that the kernel makes for the command, past the filter. */
export const uring: readonly Attack[] = [
  attack('io_uring_setup', by('uring', 'io_uring_setup'), files, {
    control: { kind: 'success', hostMayRefuse },
  }),
  ...each(row, 'openat | mkdirat', '{new}'),
  ...each(row, 'unlinkat | setxattr', '{file}'),
  row('connect', '{place}', listenerAtPath('stream')),
  ...each(onNothing, 'io_uring_enter | io_uring_register'),
]
