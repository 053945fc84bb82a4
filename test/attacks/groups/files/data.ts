import { type Attack, attack, by, type Choices, each, neverUnsandboxed, succeeds } from '../../attack.ts'
import { capability, changesWith, present, succeedsWith } from '../../needs.ts'
import { files } from '../../targets/files.ts'
import { victim } from '../../targets/victim.ts'

const on = (attempt: string, ...words: readonly string[]) => by('data', attempt, '{file}', ...words)

/** What a file holds: every call that writes, cuts or allocates. */
const content: readonly Attack[] = [
  attack('open O_WRONLY and write', on('open'), files),
  attack('openat O_WRONLY and write', on('openat'), files),
  attack('openat2 O_WRONLY and write', on('openat2'), files),
  attack('openat O_RDWR and write', on('read-write'), files),
  attack('openat O_APPEND and write', on('append'), files),
  attack('write through a symlink', by('data', 'openat', '{link}'), files),
  attack('truncate', on('truncate'), files),
  attack('ftruncate', on('ftruncate'), files),
  attack('open O_RDONLY|O_TRUNC', on('open O_RDONLY|O_TRUNC'), files),
  attack('openat O_RDONLY|O_TRUNC', on('openat O_RDONLY|O_TRUNC'), files),
  attack('openat2 O_RDONLY|O_TRUNC', on('openat2 O_RDONLY|O_TRUNC'), files),
  attack('openat O_TRUNC with high bits in the flags', on('O_TRUNC, high bits'), files),
  attack('access mode 3', on('access mode 3'), files, { control: succeeds }),
  attack('access mode 3 with high bits in the flags', on('access mode 3, high bits'), files, {
    control: succeeds,
  }),
  attack('mmap MAP_SHARED', on('mmap'), files),
  attack('fallocate', on('fallocate'), files),
  attack('fallocate FALLOC_FL_PUNCH_HOLE', on('punch hole'), files),
  attack('copy_file_range', on('copy_file_range', '{other}'), files),
  attack('sendfile', on('sendfile', '{other}'), files),
  attack('splice', on('splice'), files),
  attack('pwritev2', on('pwritev2'), files),
  attack('io_submit', on('io_submit'), files),
  attack(
    'race of two threads for the path',
    by('privileges', 'race of the path', '{file}', '/dev/null'),
    files,
  ),
]

/** The same file by another way: magic links, other processes' views, handles. */
const detours: readonly Attack[] = [
  attack('/proc/self/fd of a read-only descriptor', by('paths', 'reopen /proc/self/fd', '{file}'), files),
  attack('/proc/thread-self/fd of an O_PATH descriptor', by('paths', 'reopen O_PATH', '{file}'), files),
  attack('relative to an open directory', by('paths', 'openat beneath', '{directory}', 'file'), files),
  attack('/proc/self/root', by('data', 'openat', '/proc/self/root{file}'), files),
  attack('/proc/self/cwd', by('data', 'openat', '/proc/self/cwd/file'), files),
  attack('/proc/PID/root of another process', by('data', 'openat', '{proc}/root{file}'), victim),
  attack('/proc/PID/fd of another process', by('data', 'openat', '{proc}/fd/{descriptor}'), victim),
  attack('/proc/PID/cwd of another process', by('data', 'openat', '{proc}/cwd/../{file}'), victim),
  attack(
    'open_by_handle_at',
    by('paths', 'open_by_handle_at', '{file}', '{directory}'),
    files,
    changesWith('CAP_DAC_READ_SEARCH'),
  ),
]

const device = (path: string, choices: Choices = {}) =>
  attack(`${path} for writing`, by('data', 'open for writing', path), files, {
    needs: [present(path)],
    ...succeedsWith('CAP_SYS_ADMIN'),
    ...choices,
  })

/** Device nodes: opened only, never written to. */
const devices: readonly Attack[] = [
  ...each(
    device,
    `
    /dev/kmsg | /dev/loop-control | /dev/fuse | /dev/net/tun | /dev/userfaultfd | /dev/loop0
  `,
  ),
  device('/dev/mem', { control: neverUnsandboxed('opening the memory of the machine', 'EACCES') }),
  device('/dev/ptmx', { control: succeeds }),
  device('/dev/console', { control: neverUnsandboxed('opening the console could take it over', 'EACCES') }),
  attack('/dev/kmsg for reading', by('data', 'open for reading', '/dev/kmsg'), files, {
    needs: [present('/dev/kmsg')],
    ...succeedsWith('CAP_SYSLOG'),
  }),
]

/** Switches of the kernel. What stands there already is written back. */
const switches: readonly Attack[] = [
  attack(
    '/proc/sys',
    by('data', 'write back', '/proc/sys/kernel/hostname'),
    files,
    succeedsWith('CAP_SYS_ADMIN'),
  ),
  attack('/proc/sys of the network', by('data', 'write back', '/proc/sys/net/ipv4/ip_forward'), files, {
    needs: [present('/proc/sys/net/ipv4/ip_forward')],
    control: {
      kind: 'success',
      needs: [capability('CAP_SYS_ADMIN')],
      hostMayRefuse: { EROFS: '/proc/sys is mounted read-only' },
    },
  }),
  attack('/sys', by('data', 'write back', '/sys/kernel/mm/transparent_hugepage/enabled'), files, {
    needs: [present('/sys/kernel/mm/transparent_hugepage/enabled')],
    control: {
      kind: 'success',
      needs: [capability('CAP_SYS_ADMIN')],
      hostMayRefuse: { EROFS: '/sys is mounted read-only' },
    },
  }),
  attack('/proc/sysrq-trigger', by('data', 'open for writing', '/proc/sysrq-trigger'), files, {
    needs: [present('/proc/sysrq-trigger')],
    control: neverUnsandboxed('it could stop the machine', 'EACCES'),
  }),
  attack('/proc/self/uid_map', by('data', 'write word', '/proc/self/uid_map', '0 0 1'), files, {
    control: neverUnsandboxed('the kernel takes it once, from a new namespace only', 'EACCES'),
  }),
]

export const data: readonly Attack[] = [...content, ...detours, ...devices, ...switches]
