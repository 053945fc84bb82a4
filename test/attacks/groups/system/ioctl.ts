import { type Attack, attack, by, type Choices, each, neverUnsandboxed } from '../../attack.ts'
import { files } from '../../targets/files.ts'

const row = (attempt: string, choices: Choices = {}) =>
  attack(attempt, by('ioctl', attempt, '{file}', '{other}'), files, choices)

/** A request with an invalid pointer: the kernel would say EFAULT, or EOPNOTSUPP on /proc. */
const invalid = (name: string, code: number, path = '{file}') =>
  attack(name, by('ioctl', 'null argument', path, String(code)), files, {
    control: neverUnsandboxed('it would concern the whole file system', 'ENOTTY'),
  })

/** ioctl(2) on files and directories that were opened for reading. */
export const ioctl: readonly Attack[] = [
  ...each(
    row,
    `
    FS_IOC_SETFLAGS | FS_IOC_SETFLAGS, high bits | FS_IOC_SETFLAGS, access mode 3 | FS_IOC_FSSETXATTR |
    FS_IOC_FSSETXATTR, high bits | FS_IOC_SETVERSION | FICLONE
  `,
  ),
  attack('FS_IOC_SETFLAGS on a directory', by('ioctl', 'FS_IOC_SETFLAGS', '{directory}'), files),
  row('FIDEDUPERANGE', {
    control: { kind: 'change', hostMayRefuse: { EINVAL: 'this file system shares no data between files' } },
  }),
  row('FS_IOC_ENABLE_VERITY', {
    control: { kind: 'change', hostMayRefuse: { EINVAL: 'this file system has no verity' } },
  }),
  attack('FS_IOC_SET_ENCRYPTION_POLICY', by('ioctl', 'FS_IOC_SET_ENCRYPTION_POLICY', '{empty}'), files),
  attack('BTRFS_IOC_SUBVOL_CREATE', by('ioctl', 'BTRFS_IOC_SUBVOL_CREATE', '{directory}'), files),
  invalid('FITRIM', 0xc0185879),
  invalid('FS_IOC_SETFSLABEL', 0x41009432),
  invalid('EXT4_IOC_SETFSUUID', 0x4008662c),
  invalid('EXT4_IOC_MOVE_EXT', 0xc028660f),
  invalid('FIFREEZE', 0xc0045877, '/proc'),
  invalid('FITHAW', 0xc0045878, '/proc'),
  invalid('XFS_IOC_RESVSP', 0x40305828),
]
