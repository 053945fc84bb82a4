import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import {
  type Arrange,
  type Attack,
  attack,
  type Choices,
  changesUnless,
  harmless,
  neverUnsandboxed,
  rows,
  succeeds,
} from '../attack.ts'
import { changesWith, present, succeedsWith } from '../needs.ts'
import { files, lockable } from '../targets/files.ts'
import { inheritedDescriptors } from '../targets/host.ts'
import { sharedFile } from '../targets/ipc.ts'
import { listenerAtPath } from '../targets/listener.ts'
import { victim } from '../targets/victim.ts'

const handles = changesWith('CAP_DAC_READ_SEARCH')
const admin = succeedsWith('CAP_SYS_ADMIN')
const here = (path: string): Choices => ({ needs: [present(path)] })
const readOnly = (path: string) => succeedsWith('CAP_SYS_ADMIN', { EROFS: `${path} is mounted read-only` })
const never = (reason: string) => neverUnsandboxed(reason, 'EACCES')

/** What a file holds: every call that writes, cuts or allocates; then the same file by magic links, other processes' views, handles. */
const content = rows(
  `
  data {file}: open => open O_WRONLY and write | openat => openat O_WRONLY and write
    | openat2 => openat2 O_WRONLY and write | read-write => openat O_RDWR and write
    | append => openat O_APPEND and write
  data {link}: openat => write through a symlink
  data {file}: truncate | ftruncate | open O_RDONLY|O_TRUNC | openat O_RDONLY|O_TRUNC | openat2 O_RDONLY|O_TRUNC
    | O_TRUNC, high bits => openat O_TRUNC with high bits in the flags
  data {file} succeeds: access mode 3 | access mode 3, high bits => access mode 3 with high bits in the flags
  data {file}: mmap => mmap MAP_SHARED | fallocate | punch hole => fallocate FALLOC_FL_PUNCH_HOLE
  data {file} {other}: copy_file_range | sendfile
  data {file}: splice | pwritev2 | io_submit
  supervisor {file}: race with a thread => race of two threads for the path
  paths {file}: reopen /proc/self/fd => /proc/self/fd of a read-only descriptor
    | reopen O_PATH => /proc/thread-self/fd of an O_PATH descriptor
  paths {directory} file: openat beneath => relative to an open directory
  data /proc/self/root{file}: openat => /proc/self/root
  data /proc/self/cwd/file: openat => /proc/self/cwd
  data {proc}/root{file} ofVictim: openat => /proc/PID/root of another process
  data {proc}/fd/{descriptor} ofVictim: openat => /proc/PID/fd of another process
  data {proc}/cwd/../{file} ofVictim: openat => /proc/PID/cwd of another process
  paths {file} {directory} handles: open_by_handle_at
  `,
  { succeeds, ofVictim: { target: victim }, handles },
)

/** Device nodes, which are only opened, and switches of the kernel, where what stands there already is written back. */
const devices = rows(
  `
  data /dev/kmsg here admin: open for writing => /dev/kmsg for writing
  data /dev/loop-control here admin: open for writing => /dev/loop-control for writing
  data /dev/fuse here admin: open for writing => /dev/fuse for writing
  data /dev/net/tun here admin: open for writing => /dev/net/tun for writing
  data /dev/userfaultfd here admin: open for writing => /dev/userfaultfd for writing
  data /dev/loop0 here admin: open for writing => /dev/loop0 for writing
  data /dev/mem here memory: open for writing => /dev/mem for writing
  data /dev/ptmx here succeeds: open for writing => /dev/ptmx for writing
  data /dev/console here console: open for writing => /dev/console for writing
  data /dev/kmsg here syslog: open for reading => /dev/kmsg for reading
  data /proc/sys/kernel/hostname admin: write back => /proc/sys
  data /proc/sys/net/ipv4/ip_forward here readOnlyProc: write back => /proc/sys of the network
  data /sys/kernel/mm/transparent_hugepage/enabled here readOnlySys: write back => /sys
  data /proc/sysrq-trigger here stops: open for writing => /proc/sysrq-trigger
  `,
  {
    here,
    admin,
    memory: never('opening the memory of the machine'),
    succeeds,
    console: never('opening the console could take it over'),
    syslog: succeedsWith('CAP_SYSLOG'),
    readOnlyProc: readOnly('/proc/sys'),
    readOnlySys: readOnly('/sys'),
    stops: never('it could stop the machine'),
  },
)

export const data: readonly Attack[] = [
  ...content,
  ...devices,
  attack(
    '/proc/self/uid_map',
    { program: 'data', attempt: 'write word', arguments: ['/proc/self/uid_map', '0 0 1'] },
    never('the kernel takes it once, from a new namespace only'),
  ),
]

/** Descriptors: those that the host forgot to close, and those that the command is given. */
export const fds: readonly Attack[] = rows(
  `
  fds {descriptor} left: write => write on a descriptor that was left open
    | ftruncate => ftruncate on a descriptor that was left open
    | reopen => reopen on a descriptor that was left open
  fds {directoryDescriptor} new left: openat => openat on a descriptor that was left open
  fds any: any descriptor => any descriptor above 2
  fds both: standard input => write to a file given as standard input
  fds input: standard input anew => write to such a file opened anew
  metadata /proc/self/fd/0 input: fchmod => chmod of such a file
  `,
  {
    // Write mode closes what was left open as well, so the control is child_process, which does not.
    left: { target: inheritedDescriptors, control: { kind: 'change', plain: true } },
    any: { target: inheritedDescriptors, control: { kind: 'success', plain: true } },
    both: { stdin: { path: '{file}', flags: 'r+' } },
    input: { stdin: { path: '{file}', flags: 'r' } },
  },
)

/** Locks and leases that keep other processes waiting; /proc/locks is read while the attacker holds them. */
export const locks: readonly Attack[] = rows(
  `
  locks {file} {release} held: flock LOCK_EX | flock LOCK_EX, high bits | flock LOCK_SH, then LOCK_EX
    | F_SETLK F_WRLCK | F_OFD_SETLK F_WRLCK | F_SETLEASE | F_SETLEASE, high bits
  locks {file} {release} held never: F_SETLK F_WRLCK read-only | F_OFD_SETLK F_WRLCK read-only
  locks {file} {release} held delegation: F_SETDELEG
  locks {directory} succeeds: F_NOTIFY
  locks {file}: F_SET_RW_HINT
  `,
  {
    held: { target: lockable },
    never: neverUnsandboxed('the kernel itself asks for a descriptor open for writing', 'EBADF'),
    delegation: changesUnless({ EINVAL: 'this kernel does not know delegations' }),
    succeeds,
  },
)

/** Mode, owner, times, extended attributes: nothing that Landlock sees. A change of owner clears the set-user-ID bit, to the same as well. */
export const metadata: readonly Attack[] = rows(
  `
  metadata {file}: chmod | fchmod | fchmodat | fchmodat2 | fchmodat2 AT_EMPTY_PATH | chmod /proc/self/fd | utime
    | utimes | futimesat | utimensat | futimens | touch | setxattr | lsetxattr | fsetxattr
    | setxattr replace | removexattr | lremovexattr | fremovexattr | setxattrat | removexattrat
    | file_setattr | posix acl
  metadata {empty}: chmod => chmod a directory
  metadata {setuid}: chown | lchown | fchown | fchownat | fchownat AT_EMPTY_PATH
  metadata {file} chown: chown to another user
  metadata {file} admin: setxattr trusted
  metadata {file} setfcap: file capability
  `,
  {
    chown: changesWith('CAP_CHOWN'),
    admin: changesWith('CAP_SYS_ADMIN'),
    setfcap: changesWith('CAP_SETFCAP'),
  },
)

/** Names in directories: created, removed, renamed, linked. */
export const paths: readonly Attack[] = rows(
  `
    paths {new}: creat | open O_CREAT | openat O_CREAT | mkdir | mkdirat | symlink | symlinkat | mknod file
      | mknod fifo | mknod socket
    paths {new} mknod: mknod character device | mknod block device
    paths {directory} {new}: O_TMPFILE and linkat
    paths {file}: unlink | unlinkat
    paths {empty}: rmdir | unlinkat AT_REMOVEDIR
    paths {file} {new}: rename => rename in a directory
    paths {file} {other}: rename => rename over another file
    paths {file} {beneath}: rename => rename into another directory
    paths {empty} {new}: renameat2 => rename a directory
    paths {file} {other}: renameat2 EXCHANGE => renameat2 RENAME_EXCHANGE
    paths {file} {new} whiteout: renameat2 WHITEOUT => renameat2 RENAME_WHITEOUT
    paths {file} {new}: link
    paths {file} {beneath}: linkat => linkat into another directory
    paths {file} {new} handles: linkat AT_EMPTY_PATH
    paths {path} inMemory: openat O_CREAT => create in /dev/shm
    data {place} fifo: fifo => write to a FIFO
    `,
  {
    mknod: changesWith('CAP_MKNOD'),
    whiteout: changesWith('CAP_MKNOD', { EINVAL: 'this file system makes no whiteouts' }),
    handles,
    inMemory: { target: sharedFile },
    fifo: { target: listenerAtPath('fifo') },
  },
)

/** The same target, and beside it a directory to use where there is no private one: what happens in it is not observed. */
function withScratch(arrange: Arrange): Choices {
  return {
    target: async (outside) => {
      const target = await arrange(outside)
      const scratch = join(outside.directory, 'scratch')
      mkdirSync(scratch)
      return { ...target, offers: { ...target.offers, scratch } }
    },
  }
}

/** Out of a private directory, which can be written to. */
export const privateTmp: readonly Attack[] = rows(
  `
  private_tmp {scratch} {file}: link in | link in by descriptor | rename in | exchange | dots
    | dots of descriptor | above | link open | link truncate | link chmod | link times | link setxattr | link proc | proc root
    | fchmod | futimens
  private_tmp {scratch} {new}: link out | O_TMPFILE out | rename out
  private_tmp {scratch} {other}: rename out => rename out over another file
  private_tmp {scratch} {empty}: directory in
  private_tmp {scratch} {setuid}: link chown
  private_tmp {scratch} {directory}: link directory
  private_tmp {scratch} mknod: character device | block device
  private_tmp {scratch} succeeds: set-user-ID | set-group-ID | born set-user-ID | born set-user-ID by mknod
    | unnamed set-user-ID | inode flags | listen
  private_tmp {scratch} chown: give away
  private_tmp {scratch} setfcap: file capability
  private_tmp {scratch} {place} listened: connect out
  private_tmp {scratch} {file} raced: race chmod | race times | race open | race setxattr | race fchmod
    | race futimens
  private_tmp {scratch} {setuid} raced: race chown
  private_tmp {scratch} {directory} raced: race directory
  private_tmp {scratch} {file} {release} raced locked: race flock
  `,
  {
    mknod: succeedsWith('CAP_MKNOD'),
    succeeds,
    chown: succeedsWith('CAP_CHOWN'),
    setfcap: succeedsWith('CAP_SETFCAP'),
    listened: withScratch(listenerAtPath('stream')),
    raced: harmless('where it hits what is its own it succeeds'),
    locked: withScratch(lockable),
  },
  { privateTmp: true, ...withScratch(files) },
)
