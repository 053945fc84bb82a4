import { type Attack, attack, by, type Choices, each } from '../../attack.ts'
import { capability, changesWith } from '../../needs.ts'
import { files } from '../../targets/files.ts'
import { sharedFile } from '../../targets/ipc.ts'
import { listenerAtPath } from '../../targets/listener.ts'

const creates = (attempt: string, choices: Choices = {}) =>
  attack(attempt, by('paths', attempt, '{new}'), files, choices)

const needsMknod = { kind: 'change', needs: [capability('CAP_MKNOD')] } as const

/** Names in directories: created, removed, renamed, linked. */
export const paths: readonly Attack[] = [
  ...each(
    creates,
    `
    creat | open O_CREAT | openat O_CREAT | mkdir | mkdirat | symlink | symlinkat | mknod file |
    mknod fifo | mknod socket
  `,
  ),
  ...each(creates, 'mknod character device | mknod block device', { control: needsMknod }),
  attack('O_TMPFILE and linkat', by('paths', 'O_TMPFILE and linkat', '{directory}', '{new}'), files),
  attack('unlink', by('paths', 'unlink', '{file}'), files),
  attack('unlinkat', by('paths', 'unlinkat', '{file}'), files),
  attack('rmdir', by('paths', 'rmdir', '{empty}'), files),
  attack('unlinkat AT_REMOVEDIR', by('paths', 'unlinkat AT_REMOVEDIR', '{empty}'), files),
  attack('rename in a directory', by('paths', 'rename', '{file}', '{new}'), files),
  attack('rename over another file', by('paths', 'rename', '{file}', '{other}'), files),
  attack('rename into another directory', by('paths', 'rename', '{file}', '{beneath}'), files),
  attack('rename a directory', by('paths', 'renameat2', '{empty}', '{new}'), files),
  attack('renameat2 RENAME_EXCHANGE', by('paths', 'renameat2 EXCHANGE', '{file}', '{other}'), files),
  attack('renameat2 RENAME_WHITEOUT', by('paths', 'renameat2 WHITEOUT', '{file}', '{new}'), files, {
    control: {
      kind: 'change',
      needs: [capability('CAP_MKNOD')],
      hostMayRefuse: { EINVAL: 'this file system makes no whiteouts' },
    },
  }),
  attack('link', by('paths', 'link', '{file}', '{new}'), files),
  attack('linkat into another directory', by('paths', 'linkat', '{file}', '{beneath}'), files),
  attack(
    'linkat AT_EMPTY_PATH',
    by('paths', 'linkat AT_EMPTY_PATH', '{file}', '{new}'),
    files,
    changesWith('CAP_DAC_READ_SEARCH'),
  ),
  attack('create in /dev/shm', by('paths', 'openat O_CREAT', '{path}'), sharedFile),
  attack('write to a FIFO', by('data', 'fifo', '{place}'), listenerAtPath('fifo')),
]
