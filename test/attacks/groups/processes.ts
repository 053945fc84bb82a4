import { existsSync } from 'node:fs'
import {
  type Attack,
  changesUnless,
  harmless,
  neverUnsandboxed,
  rows,
  succeeds,
  succeedsUnless,
} from '../attack.ts'
import {
  capability,
  changesWith,
  noYama,
  ordinaryUser,
  parameter,
  plainCoreFiles,
  present,
  succeedsWith,
} from '../needs.ts'
import { survivors } from '../targets/host.ts'
import { terminal } from '../targets/terminal.ts'
import { victim } from '../targets/victim.ts'

const onHost = { control: { kind: 'success', needs: [noYama] } } as const

/** Outliving the command, leaving a file behind by dying, and shaking the confinement off. */
export const escapes: readonly Attack[] = rows(
  `
  escape {token} swept: background | background with the pipes | setsid | double fork | setpgid
    | no PDEATHSIG | ignores every signal | stopped | own reaper | comet | unreadable
  escape {token} parent: CLONE_PARENT
  escape crash: core dump
  privileges {file}: a filter that allows all | a listener that says continue
  privileges {file} untraced: a filter that asks a tracer
  privileges succeeds: clear no_new_privs
  privileges admin: a capability after exec
  privileges /bin/su su: set-user-ID program
  privileges admin: capset
  privileges inherited: ambient capability
  `,
  {
    // The calls may succeed: what counts is that no process is left when the result is there.
    swept: { target: survivors, ...harmless('what the command started ends with it') },
    parent: { target: survivors, ...succeeds },
    crash: {
      ...harmless('the process may crash, but leaves no core file'),
      control: { kind: 'change', needs: [plainCoreFiles] },
    },
    untraced: neverUnsandboxed(
      'the kernel takes such a filter, and without a tracer answers ENOSYS',
      'EINVAL',
    ),
    succeeds,
    admin: succeedsWith('CAP_SYS_ADMIN'),
    su: {
      needs: [ordinaryUser, present('/bin/su')],
      ...succeedsUnless({ EPERM: 'this host has su without its bit' }),
    },
    inherited: neverUnsandboxed('it needs an inheritable set, which even root has empty', 'EPERM'),
  },
)

/** Answering intercepted calls oneself, or taking over the process that does: seccomp_unotify(2). */
export const listeners: readonly Attack[] = rows(
  `
  listeners {file} succeeds: for all threads
  listeners {file} succeeds lies: says done
  listeners {file} unheard: asks no listener
  listeners {file} search: guessed descriptors | adds a descriptor
  listeners {file} onHost: opens the host's | takes the host's | namespace of the host
  listeners {file} dispatch: syscall user dispatch
  listeners {file}: another personality | names a tracer | from a thread
  `,
  {
    succeeds,
    lies: harmless('a filter of its own can lie to the command, and to no other process'),
    unheard: neverUnsandboxed('without a listener the kernel answers for it', 'ENOSYS'),
    search: neverUnsandboxed('it is nothing but a search for a listener', 'ENOTTY'),
    onHost,
    dispatch: changesUnless({ EINVAL: 'this kernel has none on this processor' }),
  },
)

/** Where a path lies, and what the kernel writes to memory on its own. */
export const memory: readonly Attack[] = rows(
  `
  memory {file}: path at the end of what is mapped | path of PATH_MAX | path in a file
    | path in memory without reading | process_vm_writev to itself | /proc/self/mem | mprotect | MADV_REMOVE
  memory {file} readOnly: set_tid_address | set_robust_list | FUTEX_WAKE_OP | read into a mapping
  `,
  { readOnly: harmless('what is mapped for reading is not written') },
)

/** The root of cgroup2, alone or beside the first version: cgroups(7). */
const hierarchies = ['/sys/fs/cgroup/cgroup.procs', '/sys/fs/cgroup/unified/cgroup.procs'] as const
const membership = hierarchies.find(existsSync) ?? hierarchies[0]

/** Another process: its memory, descriptors, limits and scheduling. */
export const processes: readonly Attack[] = rows(
  `
  processes {pid} {address} {descriptor}: PTRACE_ATTACH and POKEDATA | process_vm_writev | /proc/PID/mem
    | pidfd_getfd | prlimit64 | setpriority | setpriority group | ioprio_set | ioprio_set group
    | sched_setscheduler | sched_setattr | sched_setaffinity
  processes {pid} {address} succeeds: PTRACE_SEIZE | PTRACE_TRACEME | process_vm_readv
  processes onHost: memory of the host
  processes succeeds: environment of the host
  processes everyone: setpriority user
  processes {pid} {address} succeeds: sched_setparam | move_pages
  processes {pid} nodes: migrate_pages
  processes {pid} {address} nice: process_madvise
  processes {pid} killed: process_mrelease
  processes {pid} succeeds: kcmp
  processes {pid} cores: PR_SCHED_CORE
  data {proc}/oom_score_adj 500: write word => /proc/PID/oom_score_adj
  data {proc}/timerslack_ns 77777 changesNice: write word => /proc/PID/timerslack_ns
  data {proc}/coredump_filter 0x11: write word => /proc/PID/coredump_filter
  data {proc}/clear_refs 1 succeeds: write word => /proc/PID/clear_refs
  data /proc/self/oom_score_adj 500 succeeds: write word => /proc/self/oom_score_adj
  data /proc/self/coredump_filter 0x11 succeeds: write word => /proc/self/coredump_filter
  data /proc/self/comm spoofed succeeds: write word => /proc/self/comm
  data /proc/self/clear_refs 1 succeeds: write word => /proc/self/clear_refs
  data /proc/self/timerslack_ns 77777 succeeds: write word => /proc/self/timerslack_ns
  data ${membership} {pid} service: write word => cgroup.procs
  `,
  {
    succeeds,
    onHost,
    everyone: neverUnsandboxed('it concerns every process of the user', 'EPERM'),
    nodes: succeedsWith('CAP_SYS_NICE', { EINVAL: 'one memory node' }),
    nice: succeedsWith('CAP_SYS_NICE'),
    killed: neverUnsandboxed('it needs a process that is being killed', 'EPERM'),
    cores: succeedsUnless({ EINVAL: 'this kernel schedules no core groups' }),
    changesNice: changesWith('CAP_SYS_NICE'),
    service: {
      needs: [present(membership)],
      ...neverUnsandboxed('it would move a process out of its service', 'EACCES'),
    },
  },
  { target: victim },
)

/** Signals to a process outside, by every call that sends one or has one sent. */
export const signals: readonly Attack[] = rows(
  `
  signals {pid}: kill | kill group | kill, high bits | SIGKILL | SIGSTOP | tkill | tgkill | rt_sigqueueinfo
    | rt_tgsigqueueinfo | pidfd_send_signal | pidfd_send_signal /proc | F_SETOWN | F_SETOWN, high bits
    | F_SETOWN_EX | F_SETSIG and F_SETOWN | FIOSETOWN
  signals {pid} succeeds: signal 0 | signal 0 to the host
  signals {pid} succeeds everyone: kill -1 with signal 0
  `,
  {
    succeeds,
    everyone: {
      needs: [ordinaryUser],
      ...harmless('kill(2) of every process reports success even where it reached none'),
    },
  },
  { target: victim },
)

/**
 * Getting past the notifier, which answers intercepted calls (native/linux/notify/notifiers.c). In a race of a path it is swapped for
 * one where the call fails for reasons of its own, and so is let through to the kernel. A child's flags: include/uapi/linux/sched.h
 */
export const supervisor: readonly Attack[] = rows(`
    supervisor open {file} {directory}/none {new}: race => race of a path: open
    supervisor unlink {file} {directory}/none {new}: race => race of a path: unlink
    supervisor rename {file} {directory}/none {new}: race => race of a path: rename
    supervisor truncate {file} {directory}/none {new}: race => race of a path: truncate
    supervisor rmdir {empty} {directory}/none {new}: race => race of a path: rmdir
    supervisor mkdir {new} {empty} {new}: race => race of a path: mkdir
    supervisor symlink {new} {file} {new}: race => race of a path: symlink
    supervisor link {new} {other} {file}: race => race of a path: link
    supervisor {file}: race with a process | flood | die asking | exec asking | interrupted | renamed
      | no descriptor left | starved
    supervisor file {directory}: race of a directory's number | race of the working directory
    supervisor open {file} {new}: unreadable => an unreadable process: open
    supervisor unlink {file} {new}: unreadable => an unreadable process: unlink
    supervisor rename {file} {new}: unreadable => an unreadable process: rename
    supervisor truncate {file} {new}: unreadable => an unreadable process: truncate
    supervisor mkdir {new} {new}: unreadable => an unreadable process: mkdir
    supervisor 0x2000 {file}: child => a child by CLONE_PTRACE
    supervisor 0x800000 {file}: child => a child by CLONE_UNTRACED
    supervisor 0x4000 {file}: child => a child by CLONE_VFORK
    supervisor 0x200 {file}: child => a child by CLONE_FS
    supervisor O_TRUNC {file} {directory}/none: race => race of a path: open that truncates
    `)

/** Since Linux 6.2 the kernel may keep TIOCSTI for CAP_SYS_ADMIN. */
const injects = {
  control: {
    kind: 'change',
    needs: [() => (capability('CAP_SYS_ADMIN')() ? parameter('dev/tty/legacy_tiocsti', '1')() : null)],
    hostMayRefuse: { EPERM: 'it is not the controlling terminal' },
  },
} as const

/** Another process's terminal, of which read mode grants nothing; on it from within a terminal of its own; and on that one. */
export const tty: readonly Attack[] = rows(
  `
  tty {terminal}: write | TCSETS | TIOCSWINSZ | TCFLSH | TIOCEXCL
  tty {terminal} succeeds: open for reading | TIOCSCTTY | /dev/ptmx
  tty {terminal} injects: TIOCSTI | TIOCSTI, high bits
  tty /proc/self/fd/0 input: TCSETS => TCSETS on standard input | write => write on standard input
  tty /proc/self/fd/0 input injects: TIOCSTI => TIOCSTI on standard input
  tty {terminal} pty: write => write from a terminal of its own | TCSETS => TCSETS from a terminal of its own
    | TIOCSWINSZ => TIOCSWINSZ from a terminal of its own | TCFLSH => TCFLSH from a terminal of its own
    | TIOCEXCL => TIOCEXCL from a terminal of its own
  tty {terminal} pty succeeds: open for reading => open for reading from a terminal of its own
    | /dev/ptmx => /dev/ptmx from a terminal of its own
  tty {terminal} pty injects: TIOCSTI => TIOCSTI from a terminal of its own
  tty {held} pty: TCSETS => TCSETS through /proc from a terminal of its own
    | write => write through /proc from a terminal of its own
  tty {held} pty succeeds: open for reading => open for reading through /proc from a terminal of its own
  tty /dev/tty pty own: TIOCSTI => TIOCSTI on its own terminal
    | TIOCSTI, high bits => TIOCSTI, high bits on its own terminal | TIOCLINUX => TIOCLINUX on its own terminal
    | TIOCCONS => TIOCCONS on its own terminal | TIOCSETD => TIOCSETD on its own terminal
    | TIOCEXCL => TIOCEXCL on its own terminal | TIOCNOTTY => TIOCNOTTY on its own terminal
    | KDSETMODE => KDSETMODE on its own terminal | KDSKBMODE => KDSKBMODE on its own terminal
    | VT_ACTIVATE => VT_ACTIVATE on its own terminal
    | TIOCSCTTY by force => TIOCSCTTY by force on its own terminal
  `,
  {
    succeeds,
    injects,
    input: { stdin: { path: '{terminal}', flags: 'r' } },
    pty: { pty: true },
    // What reaches the console, the kernel's line disciplines or the user who types stays refused there too.
    own: neverUnsandboxed('it is its own, or the console of the user who runs the tests', 'ENOTTY'),
  },
  { target: terminal },
)
