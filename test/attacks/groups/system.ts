import { type Attack, changesUnless, neverUnsandboxed, rows, succeeds, succeedsUnless } from '../attack.ts'
import { capability, changesWith, root, succeedsWith } from '../needs.ts'
import { files } from '../targets/files.ts'
import { host, mountPoints } from '../targets/host.ts'
import { filledQueue, posixQueue, sharedFile, systemV, userKey } from '../targets/ipc.ts'
import { listenerAtPath, listenerOnPort } from '../targets/listener.ts'
import { victim } from '../targets/victim.ts'

const stream = { target: listenerAtPath('stream') }
const admin = succeedsWith('CAP_SYS_ADMIN')
const changesAsAdmin = changesWith('CAP_SYS_ADMIN')

/** int 0x80 from a 64-bit program. The filter ends a caller of another architecture's ABI: its numbers mean other calls. */
export const i386: readonly Attack[] = rows(
  `
  i386 {new}: open O_CREAT | mkdir
  i386 {file}: unlink | chmod | setxattr
  i386 {file} {new}: rename
  i386 {pid} ofVictim: kill
  i386 {key} segment: shmget
  i386 {place} stream: connect
  `,
  { ofVictim: { target: victim }, segment: { target: systemV('shm', false) }, stream },
  { expect: { kind: 'killed', signal: 'SIGSYS' } },
)

/** ioctl(2) on files and directories that were opened for reading. */
export const ioctl: readonly Attack[] = rows(
  `
  ioctl {file} {other}: FS_IOC_SETFLAGS | FS_IOC_SETFLAGS, high bits | FS_IOC_SETFLAGS, access mode 3
    | FS_IOC_FSSETXATTR | FS_IOC_FSSETXATTR, high bits | FS_IOC_SETVERSION | FICLONE
  ioctl {directory}: FS_IOC_SETFLAGS => FS_IOC_SETFLAGS on a directory
  ioctl {file} {other} shares: FIDEDUPERANGE
  ioctl {file} {other} verity: FS_IOC_ENABLE_VERITY
  ioctl {empty}: FS_IOC_SET_ENCRYPTION_POLICY
  ioctl {directory}: BTRFS_IOC_SUBVOL_CREATE
  ioctl {file} 0xc0185879 invalid: null argument => FITRIM
  ioctl {file} 0x41009432 invalid: null argument => FS_IOC_SETFSLABEL
  ioctl {file} 0x4008662c invalid: null argument => EXT4_IOC_SETFSUUID
  ioctl {file} 0xc028660f invalid: null argument => EXT4_IOC_MOVE_EXT
  ioctl /proc 0xc0045877 invalid: null argument => FIFREEZE
  ioctl /proc 0xc0045878 invalid: null argument => FITHAW
  ioctl {file} 0x40305828 invalid: null argument => XFS_IOC_RESVSP
  `,
  {
    shares: changesUnless({ EINVAL: 'this file system shares no data between files' }),
    verity: changesUnless({ EINVAL: 'this file system has no verity' }),
    // A pointer where nothing is: the kernel would say EFAULT, or EOPNOTSUPP on /proc.
    invalid: neverUnsandboxed('it would concern the whole file system', 'ENOTTY'),
  },
)

/** System V and POSIX IPC: new objects, and those of other processes. */
export const ipc: readonly Attack[] = rows(
  `
  ipc {key} noSegment: shmget
  ipc {key} {id} segment: shmat and write | shmat by id | shmctl IPC_RMID
  ipc {key} noSemaphore: semget
  ipc {key} {id} semaphore: semop | semtimedop | semctl SETVAL | semctl IPC_RMID
  ipc {key} noQueue: msgget
  ipc {key} {id} queue: msgsnd | msgctl IPC_RMID
  ipc {key} {id} filled: msgrcv
  ipc {name} noNamedQueue: mq_open
  ipc {name} namedQueue: mq_timedsend | mq_unlink
  ipc {name} noFile: shm_open
  `,
  {
    noSegment: { target: systemV('shm', false) },
    segment: { target: systemV('shm', true) },
    noSemaphore: { target: systemV('sem', false) },
    semaphore: { target: systemV('sem', true) },
    noQueue: { target: systemV('msg', false) },
    queue: { target: systemV('msg', true) },
    filled: { target: filledQueue },
    noNamedQueue: { target: posixQueue(false) },
    namedQueue: { target: posixQueue(true) },
    noFile: { target: sharedFile },
  },
)

/** The kernel's key rings. */
export const keys: readonly Attack[] = rows(
  `
  keys {name} none: add_key | add_key keyring => add_key of a ring
  keys {name} {id} searched: request_key
  keys {name} {id}: KEYCTL_UPDATE | KEYCTL_UNLINK | KEYCTL_REVOKE | KEYCTL_SETPERM
  keys {name} {id} succeeds: KEYCTL_JOIN_SESSION_KEYRING
  `,
  {
    none: { target: userKey(false), control: { kind: 'change' } },
    searched: succeedsUnless({ ENOKEY: 'the ring is not searched' }),
    succeeds,
  },
  { target: userKey(true), ...changesUnless({ EACCES: "the user's ring is not reached by the session's" }) },
)

/** Namespaces, mounts, another root: everything that would show the command another system. Flags: include/uapi/linux/sched.h */
export const namespaces: readonly Attack[] = rows(
  `
  namespaces 0x80 admin: unshare => unshare NEWTIME
  namespaces 0x20000 admin: unshare => unshare NEWNS
  namespaces 0x2000000 admin: unshare => unshare NEWCGROUP
  namespaces 0x4000000 admin: unshare => unshare NEWUTS
  namespaces 0x8000000 admin: unshare => unshare NEWIPC
  namespaces 0x10000000 everyone: unshare => unshare NEWUSER
  namespaces 0x20000000 admin: unshare => unshare NEWPID
  namespaces 0x40000000 admin: unshare => unshare NEWNET
  namespaces 0x10000000 everyone: clone => clone NEWUSER | clone3 => clone3 NEWUSER
  namespaces 0x20000 admin: clone => clone NEWNS
  namespaces 0x40000000 admin: clone => clone NEWNET
  namespaces 0 succeeds: clone3 => clone3 without a flag
  namespaces /proc/self/ns/uts admin: setns
  namespaces {pid} admin ofVictim: setns pidfd => setns to another process
  namespaces {place} changes: mount | fsmount
  namespaces {place} {source} changes: mount MS_BIND | move_mount
  namespaces {place} mounted: mount MS_REMOUNT | umount2 | mount_setattr
  namespaces {place} admin: open_tree | open_tree_attr
  namespaces admin: fsopen | fspick
  namespaces {place} chroot: chroot
  namespaces {place} never: pivot_root | fsconfig on nothing | fsmount on nothing | move_mount on nothing
  `,
  {
    // Every user may make these where user namespaces are allowed: user_namespaces(7).
    everyone: succeedsUnless({
      EPERM: 'user namespaces are restricted',
      ENOSPC: 'user.max_user_namespaces is 0',
    }),
    admin,
    succeeds,
    ofVictim: { target: victim },
    changes: changesAsAdmin,
    mounted: { target: mountPoints(true), ...changesAsAdmin, needs: [root, capability('CAP_SYS_ADMIN')] },
    chroot: succeedsWith('CAP_SYS_CHROOT'),
    never: neverUnsandboxed('on nothing the kernel says something else', 'EPERM'),
  },
  { target: mountPoints(false) },
)

/** Within the range that the kernel picks from (ip_local_port_range, ip(7)). */
const port = 33_000 + (process.pid % 20_000)

/** What others use too, set for all of them through a descriptor for reading, or taken under their name. */
export const shared: readonly Attack[] = rows(
  `
  shared {place} pipe: size of a FIFO
  shared {file} node: policy of memory => NUMA policy of shared memory
  shared ${port} ranged: port of one's choice
  shared {port} ranged listened: port of another
  shared ${process.pid} succeeds: netlink number of another
  shared 30 admin: netlink group => netlink group of CAP_NET_ADMIN's
  `,
  {
    pipe: { target: listenerAtPath('pipe') },
    node: succeedsUnless({ EINVAL: 'this kernel has no such node' }),
    ranged: succeedsUnless({ EADDRINUSE: 'this kernel has no IP_LOCAL_PORT_RANGE' }),
    listened: { target: listenerOnPort('shared udp') },
    succeeds,
    admin: succeedsWith('CAP_NET_ADMIN'), // the group is RTNLGRP_IPV4_MROUTE_R of linux/rtnetlink.h
  },
)

/** The system as a whole: names, clocks, swap, modules, and the kernel's more dangerous doors. */
export const system: readonly Attack[] = rows(
  `
  system admin: sethostname | setdomainname
  system never: settimeofday | clock_settime | swapon | swapoff | acct | quotactl_fd | reboot | kexec_load
    | kexec_file_load | init_module | finit_module | delete_module | fanotify_mark | vhangup | lsm_set_self_attr
  system succeeds: adjtimex | clock_adjtime | quotactl | modify_ldt
  system admin: bpf
  system paranoid: perf_event_open
  system faults: userfaultfd
  system older: fanotify_init
  system syslog: syslog
  system ports: iopl | ioperm
  system ${0x40000000 + 90} {file} x32: call number => x32 chmod
  system ${0x40000000 + 87} {file} x32: call number => x32 unlink
  system 600 {file} newer: call number => an unreviewed number
  system -1 {file} none: call number => number -1
  `,
  {
    admin,
    // Never outside read mode: even harmless arguments are too near to the whole machine.
    never: neverUnsandboxed('it concerns the whole machine', 'EPERM'),
    succeeds,
    paranoid: succeedsUnless({ EACCES: 'kernel.perf_event_paranoid is above 2' }),
    faults: succeedsUnless({ EPERM: 'vm.unprivileged_userfaultfd forbids it' }),
    older: succeedsUnless({ EPERM: 'before Linux 5.13 only root may' }),
    syslog: succeedsWith('CAP_SYSLOG'),
    ports: succeedsWith('CAP_SYS_RAWIO'),
    x32: { target: files, ...neverUnsandboxed('ordinary kernels have no x32 table', 'ENOSYS') },
    newer: { target: files, ...neverUnsandboxed('no kernel has it yet', 'ENOSYS') },
    none: { target: files, ...neverUnsandboxed('no kernel has it', 'ENOSYS') },
  },
  { target: host },
)

/** kernel.io_uring_disabled, Linux 6.6 */
const forbidden = { EPERM: 'kernel.io_uring_disabled forbids it' }

/** io_uring: calls that the kernel makes for the command, past the filter. */
export const uring: readonly Attack[] = rows(
  `
  uring setUp: io_uring_setup
  uring {new}: openat | mkdirat
  uring {file}: unlinkat | setxattr
  uring {place} stream: connect
  uring nothing: io_uring_enter | io_uring_register
  `,
  {
    setUp: succeedsUnless(forbidden),
    stream,
    nothing: neverUnsandboxed('on no ring at all the kernel says EBADF', 'ENOSYS'),
  },
  changesUnless(forbidden),
)
