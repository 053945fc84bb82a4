/* The answer of read and workspace mode to each system call: a table, and its argument rules. */
#include <asm/ioctls.h>
#include <asm/termbits.h>
#include <errno.h>
#include <linux/btrfs.h>
#include <linux/fcntl.h>
#include <linux/fiemap.h>
#include <linux/fs.h>
#include <linux/fscrypt.h>
#include <linux/fsverity.h>
#include <linux/futex.h>
#include <linux/nsfs.h>
#include <linux/prctl.h>
#include <linux/resource.h>
#include <linux/sched.h>
#include <linux/sockios.h>

#include "confine/filter/seccomp_constants.h"
#include "confine/filter/seccomp_groups.h"
#include "confine/filter/seccomp_sockets.h"

/* Only read, or set state private to the descriptor. TCGETS is first: every isatty() sends it. */
#define READING_IOCTLS \
  TCGETS, TIOCGWINSZ, FIOCLEX, FIONCLEX, FIONBIO, FIONREAD, TIOCGPGRP, TIOCGSID, TIOCOUTQ, \
      TCGETA, TCGETS2, TIOCGPTN, FIOQSIZE, FIGETBSZ, FS_IOC_GETFLAGS, FS_IOC32_GETFLAGS, \
      FS_IOC_GETVERSION, FS_IOC32_GETVERSION, FS_IOC_FSGETXATTR, FS_IOC_FIEMAP, VT_FS_IOC_GETFSUUID, \
      VT_FS_IOC_GETFSSYSFSPATH, BLKGETSIZE, BLKGETSIZE64, BLKSSZGET, BLKPBSZGET, BLKROGET, \
      NS_GET_USERNS, NS_GET_PARENT, NS_GET_NSTYPE, NS_GET_OWNER_UID
#define INTERFACE_IOCTLS \
  SIOCGIFNAME, SIOCGIFCONF, SIOCGIFFLAGS, SIOCGIFADDR, SIOCGIFDSTADDR, SIOCGIFBRDADDR, \
      SIOCGIFNETMASK, SIOCGIFMETRIC, SIOCGIFMTU, SIOCGIFHWADDR, SIOCGIFINDEX, SIOCGIFTXQLEN, \
      SIOCGIFMAP
/* Settings, size, foreground group and queues of the command's own terminal. No other is in reach: none is inherited, Landlock
 * grants none, /dev/tty is its own. Not TIOCSCTTY and TIOCNOTTY, to keep it so; nor TIOCSTI, TIOCLINUX, TIOCCONS, TIOCSETD and
 * console ioctls (ioctl_tty(2), ioctl_console(2)). */
#define TERMINAL_IOCTLS \
  TCSETS, TCSETSW, TCSETSF, TCSETS2, TCSETSW2, TCSETSF2, TCSETA, TCSETAW, TCSETAF, \
      TIOCSWINSZ, TIOCSPGRP, TCFLSH, TCXONC, TCSBRK, TCSBRKP
/* Of masters that the command has made (notify/world/own_paths.c). */
#define OWN_TERMINAL_IOCTLS TIOCSPTLCK, TIOCGPTLCK, TIOCPKT, TIOCGPKT
/* Refused with a report. Not terminal settings, which every program tries that thinks it has a terminal. */
#define CHANGING_IOCTLS \
  FS_IOC_SETFLAGS, FS_IOC32_SETFLAGS, FS_IOC_SETVERSION, FS_IOC32_SETVERSION, FS_IOC_FSSETXATTR, \
      FS_IOC_SETFSLABEL, FS_IOC_SET_ENCRYPTION_POLICY, FS_IOC_ENABLE_VERITY, FICLONE, FICLONERANGE, \
      FIDEDUPERANGE, FIFREEZE, FITHAW, FITRIM, BTRFS_IOC_SNAP_CREATE, BTRFS_IOC_SNAP_CREATE_V2, \
      BTRFS_IOC_SUBVOL_CREATE, BTRFS_IOC_SUBVOL_CREATE_V2, BTRFS_IOC_SNAP_DESTROY, \
      BTRFS_IOC_SNAP_DESTROY_V2, BTRFS_IOC_SUBVOL_SETFLAGS, TIOCSTI, TIOCLINUX, TIOCCONS, \
      SIOCSIFFLAGS, SIOCSIFADDR

/* Access mode 3 opens a file "for ioctl only", which needs no Landlock right (open(2), File access mode); also refused with
 * O_PATH, as no program sends it. O_RDONLY|O_TRUNC truncates (ABI below 3). */
#define REFUSED_FLAGS VT_O_ACCMODE, VT_O_ACCMODE | VT_O_TRUNC, VT_O_TRUNC
#define WRITE_INTENT (VT_O_ACCMODE | VT_O_CREAT | VT_O_TRUNC)

/* What libc's shm_open(3) opens a name with, to read. */
#define SHARED_MEMORY_TO_READ (VT_O_NOFOLLOW | VT_O_CLOEXEC)
/* As stty(1) does, and hardly any program that reads a file. */
#define TERMINAL_TO_READ VT_O_NONBLOCK, VT_O_NONBLOCK | VT_O_CLOEXEC

/* No set-user-ID or set-group-ID files in a writable directory: they run as their owner. mkdir(2) ignores these bits. */
#define MAKES_FILE (VT_O_CREAT | VT_O_TMPFILE)
#define SET_ID (VT_S_ISUID | VT_S_ISGID)
#define OPEN_RULES(flags, mode) \
  {EVER, {MASKED(flags, VT_O_ACCMODE | VT_O_TRUNC, REFUSED_FLAGS)}, REFUSE(EACCES)}, \
  {WRITABLE, {HAS_ANY(flags, MAKES_FILE), HAS_ANY(mode, SET_ID)}, REFUSE(EPERM)}, \
  {OWN_SOCKETS, {IS(flags, SHARED_MEMORY_TO_READ, TERMINAL_TO_READ)}, WATCH}, \
  {EVER, {HAS_ANY(flags, WRITE_INTENT)}, WATCH}
static const struct vt_rule open_rules[] = {OPEN_RULES(1, 2)};
static const struct vt_rule openat_rules[] = {OPEN_RULES(2, 3)};
static const struct vt_rule make_rules[] = {{WRITABLE, {HAS_ANY(1, SET_ID)}, REFUSE(EPERM)}};
static const struct vt_rule make_at_rules[] = {{WRITABLE, {HAS_ANY(2, SET_ID)}, REFUSE(EPERM)}};
static const struct vt_rule truncate_rules[] = {{TRUNCATE_UNSEEN, {ANY_ARGUMENTS}, REFUSE(EROFS)}};

static const struct vt_rule ioctl_rules[] = {
    {EVER, {IS(1, READING_IOCTLS)}, ALLOW},
    {TERMINAL, {IS(1, TERMINAL_IOCTLS)}, ALLOW},
    {OWN_SOCKETS, {IS(1, TERMINAL_IOCTLS, OWN_TERMINAL_IOCTLS)}, ALLOW},
    {OWN_SOCKETS, {IS(1, VT_TIOCGPTPEER)}, JUDGE},
    /* Of terminals the command has its own only, and taking one from another session needs CAP_SYS_ADMIN. */
    {SESSIONS, {IS(1, TIOCSCTTY, TIOCNOTTY)}, ALLOW},
    {OWN_SOCKETS, {IS(1, TIOCSCTTY, TIOCNOTTY)}, PRETEND},
    {NETWORK, {IS(1, INTERFACE_IOCTLS)}, ALLOW},
    {OWN_SOCKETS | NO_NETWORK, {IS(1, INTERFACE_IOCTLS)}, ALLOW},
    {EVER, {IS(1, CHANGING_IOCTLS)}, REFUSE(ENOTTY)},
};

/* Left out: F_SETOWN, F_SETOWN_EX and F_SETSIG (signals to other processes), F_SETLEASE, F_NOTIFY, F_SETDELEG, the write
 * hints, and F_SETPIPE_SZ: a reader could set a FIFO's capacity for all its users. */
static const struct vt_rule fcntl_rules[] = {
    {EVER,
     {IS(1, F_GETFL, F_SETFL, F_GETFD, F_SETFD, F_DUPFD, F_DUPFD_CLOEXEC, F_GETLK, F_SETLK,
         F_SETLKW, F_GETOWN, F_GETSIG, F_GETOWN_EX, VT_F_GETOWNER_UIDS, F_OFD_GETLK, F_OFD_SETLK,
         F_OFD_SETLKW, F_GETLEASE, VT_F_DUPFD_QUERY, VT_F_CREATED_QUERY, F_GETPIPE_SZ, F_ADD_SEALS,
         F_GET_SEALS, F_GET_RW_HINT, F_GET_FILE_RW_HINT)},
     ALLOW},
    {EVER,
     {IS(1, F_SETOWN, F_SETOWN_EX, F_SETSIG, F_SETLEASE, VT_F_SETDELEG, F_SET_RW_HINT,
         F_SET_FILE_RW_HINT)},
     REFUSE(EPERM)},
};

/* An exclusive lock needs no write access to the file, yet blocks every other process. */
static const struct vt_rule flock_rules[] = {{EVER, {HAS_ANY(1, LOCK_EX)}, REFUSE(EBADF)}};

/* RLIMIT_CORE stays 1: with 0, a piped core_pattern still runs its helper (core(5)). Setting it is pretended, because shells
 * do. So is setting RLIMIT_LOCKS, the mark of the command's processes (base/watched.h). RLIMIT_FSIZE is noted: a limit of the command's own may then end it, not ours. */
static const struct vt_rule setrlimit_rules[] = {
    {EVER, {IS(0, RLIMIT_CORE, RLIMIT_LOCKS)}, PRETEND},
    {EVER, {IS(0, RLIMIT_FSIZE)}, WATCH},
};
static const struct vt_rule prlimit_rules[] = {
    {EVER, {IS(0, 0), IS(2, 0), HIGH_HALF_IS(2, 0)}, ALLOW}, /* new_limit is NULL: reads */
    {EVER, {IS(0, 0), IS(1, RLIMIT_CORE, RLIMIT_LOCKS)}, PRETEND},
    {EVER, {IS(0, 0), IS(1, RLIMIT_FSIZE)}, WATCH},
    {EVER, {IS(0, 0)}, ALLOW},
};

/* Until the first change every process of the command has the host's umask. */
static const struct vt_rule umask_rules[] = {{WORKSPACE, {ANY_ARGUMENTS}, JUDGE}};

/* Without a mark the sweep finds a command's processes by their session, which none can leave. */
static const struct vt_rule session_rules[] = {{SESSIONS, {ANY_ARGUMENTS}, ALLOW}};

/* 0 is the caller; its own number the notifier recognizes. */
static const struct vt_rule setpriority_rules[] = {
    {EVER, {IS(0, PRIO_PROCESS), IS(1, 0)}, ALLOW}, {LISTENER, {IS(0, PRIO_PROCESS)}, JUDGE}};
static const struct vt_rule ioprio_rules[] = {
    {EVER, {IS(0, VT_IOPRIO_WHO_PROCESS), IS(1, 0)}, ALLOW}, {LISTENER, {IS(0, VT_IOPRIO_WHO_PROCESS)}, JUDGE}};
static const struct vt_rule own_process_rules[] = {{EVER, {IS(0, 0)}, ALLOW}, {LISTENER, {ANY_ARGUMENTS}, JUDGE}};

/* With read access to a file that other processes map, requeueing could move their waiters to a futex that is never woken.
 * Within one process (FUTEX_PRIVATE_FLAG, which libc sets) it is allowed. Other flags, such as FUTEX_ROBUST_UNLOCK of Linux
 * 7.3, do not change the operation. */
static const struct vt_rule futex_rules[] = {
    {EVER,
     {MASKED(1, VT_FUTEX_COMMAND | FUTEX_PRIVATE_FLAG, FUTEX_REQUEUE, FUTEX_CMP_REQUEUE,
             FUTEX_CMP_REQUEUE_PI)},
     FAIL(ENOSYS)}};

/* CLONE_PARENT would make siblings of the command, whose end signals the host. unshare(2) may use known flags without a
 * namespace only: new ones (CLONE_NEWTIME, UNSHARE_EMPTY_MNTNS) are refused. */
#define SHARED_IN_PROCESS \
  (CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM)
static const struct vt_rule clone_rules[] = {{EVER, {HAS_ANY(0, VT_CLONE_NAMESPACES | CLONE_PARENT)}, REFUSE(EPERM)}};
static const struct vt_rule unshare_rules[] = {{EVER, {HAS_ANY(0, ~SHARED_IN_PROCESS)}, REFUSE(EPERM)}};

/* Once our listener is closed, a command could install one and answer in our place. Until then the kernel returns EBUSY. What
 * another filter returns is looked at, and processes that narrow their rights are noted (notify/handlers/processes.c). */
static const struct vt_rule seccomp_rules[] = {
    {EVER, {IS(0, SECCOMP_SET_MODE_FILTER), HAS_ANY(1, SECCOMP_FILTER_FLAG_NEW_LISTENER)}, FAIL(EBUSY)},
    {LISTENER, {IS(0, SECCOMP_SET_MODE_FILTER)}, JUDGE}};
static const struct vt_rule prctl_rules[] = {{LISTENER, {IS(0, PR_SET_SECCOMP), IS(1, SECCOMP_MODE_FILTER)}, JUDGE}};
static const struct vt_rule own_domain_rules[] = {{LISTENER, {ANY_ARGUMENTS}, JUDGE}};
static const struct vt_rule capset_rules[] = {{WORKSPACE, {ANY_ARGUMENTS}, JUDGE}};

/* Signal 0 is only a test (kill(2)): Landlock answers it. The command's own processes are younger than its session; for them
 * kill(2) and tgkill(2) are not notified, because a notified call can return EINTR (seccomp_unotify(2)), which no caller
 * expects: dash, whose SIGCHLD handler lacks SA_RESTART, lost one in forty. The other calls are rare enough to be notified for
 * any target. */
#define SIGNALS_ARE_JUDGED \
  {SIGNALS_UNSCOPED | LISTENER, {ANY_ARGUMENTS}, JUDGE}, {SIGNALS_UNSCOPED | NO_LISTENER, {ANY_ARGUMENTS}, FAIL(EPERM)}
static const struct vt_rule signal_rules[] = {SIGNALS_ARE_JUDGED, {EVER, {IS(1, 0)}, ALLOW}, {EVER, {OLDER(0)}, WATCH}};
static const struct vt_rule thread_signal_rules[] = {
    SIGNALS_ARE_JUDGED, {EVER, {IS(2, 0)}, ALLOW}, {EVER, {OLDER(0)}, WATCH}};
static const struct vt_rule rare_signal_rules[] = {SIGNALS_ARE_JUDGED, {EVER, {IS(1, 0)}, ALLOW}};
static const struct vt_rule rare_thread_signal_rules[] = {SIGNALS_ARE_JUDGED, {EVER, {IS(2, 0)}, ALLOW}};

static const struct vt_rule segment_rules[] = {{OWN_SOCKETS, {ANY_ARGUMENTS}, JUDGE}};
static const struct vt_rule detach_rules[] = {{OWN_SOCKETS, {ANY_ARGUMENTS}, ALLOW}};

static const struct vt_rule syslog_rules[] = {
    {EVER, {IS(0, VT_SYSLOG_ACTION_READ_ALL, VT_SYSLOG_ACTION_SIZE_BUFFER)}, ALLOW}};

const struct vt_group vt_groups[] = {
    /* Files. openat2's flags are in memory: access mode 3 would open any device node past Landlock. Programs fall back to
     * openat. */
    {DECIDE(open_rules, ALLOW), CALLS(VT_SYS_open)},
    {DECIDE(openat_rules, ALLOW), CALLS(VT_SYS_openat)},
    {ALWAYS(FAIL(ENOSYS)), CALLS(VT_SYS_openat2)},
    {ALWAYS(WATCH),
     CALLS(VT_SYS_unlink, VT_SYS_unlinkat, VT_SYS_rmdir, VT_SYS_rename, VT_SYS_renameat, VT_SYS_renameat2, VT_SYS_link,
           VT_SYS_linkat, VT_SYS_symlink, VT_SYS_symlinkat, VT_SYS_mkdir, VT_SYS_mkdirat)},
    {DECIDE(make_rules, WATCH), CALLS(VT_SYS_creat, VT_SYS_mknod)},
    {DECIDE(make_at_rules, WATCH), CALLS(VT_SYS_mknodat)},
    {DECIDE(truncate_rules, WATCH), CALLS(VT_SYS_truncate)},
    {DECIDE(fcntl_rules, FAIL(EPERM)), CALLS(VT_SYS_fcntl)},
    {DECIDE(flock_rules, ALLOW), CALLS(VT_SYS_flock)},
    {DECIDE(ioctl_rules, FAIL(ENOTTY)), CALLS(VT_SYS_ioctl)},

    /* io_uring works in kernel threads, past the filter; libuv and others fall back. The requests of io_setup(2) count for the
     * whole machine (fs.aio-max-nr). */
    {ALWAYS(FAIL(ENOSYS)), CALLS(VT_SYS_io_uring_setup, VT_SYS_io_uring_enter, VT_SYS_io_uring_register, VT_SYS_io_setup)},

    /* Metadata, which Landlock does not see. */
    {ALWAYS(REFUSE(EROFS)),
     CALLS(VT_SYS_chmod, VT_SYS_fchmod, VT_SYS_fchmodat, VT_SYS_fchmodat2, VT_SYS_chown, VT_SYS_fchown, VT_SYS_lchown,
           VT_SYS_fchownat, VT_SYS_utime, VT_SYS_utimes, VT_SYS_futimesat, VT_SYS_utimensat, VT_SYS_setxattr,
           VT_SYS_lsetxattr, VT_SYS_fsetxattr, VT_SYS_removexattr, VT_SYS_lremovexattr, VT_SYS_fremovexattr,
           VT_SYS_setxattrat, VT_SYS_removexattrat, VT_SYS_file_setattr)},

    {DECIDE(socket_rules, REFUSE(EACCES)), CALLS(VT_SYS_socket)},
    {DECIDE(socketpair_rules, REFUSE(EACCES)), CALLS(VT_SYS_socketpair)},
    {DECIDE(bind_rules, REFUSE(EACCES)), CALLS(VT_SYS_bind)},
    {DECIDE(setsockopt_rules, REFUSE(EPERM)), CALLS(VT_SYS_setsockopt)},
    {DECIDE(getsockopt_rules, ALLOW), CALLS(VT_SYS_getsockopt)},
    {DECIDE(connect_rules, ALLOW), CALLS(VT_SYS_connect)},
    {DECIDE(listen_rules, REFUSE(EACCES)), CALLS(VT_SYS_listen)},
    {DECIDE(accept_rules, REFUSE(EACCES)), CALLS(VT_SYS_accept, VT_SYS_accept4)},
    {DECIDE(sendto_rules, ALLOW), CALLS(VT_SYS_sendto)},
    {DECIDE(sendmmsg_rules, ALLOW), CALLS(VT_SYS_sendmmsg)},
    {DECIDE(sendmsg_rules, ALLOW), CALLS(VT_SYS_sendmsg)},

    /* Processes. clone3's flags are in memory; libc falls back to clone. */
    {DECIDE(clone_rules, ALLOW), CALLS(VT_SYS_clone)},
    {ALWAYS(FAIL(ENOSYS)), CALLS(VT_SYS_clone3)},
    {DECIDE(unshare_rules, ALLOW), CALLS(VT_SYS_unshare)},
    {DECIDE(session_rules, PRETEND), CALLS(VT_SYS_setsid)},
    {DECIDE(umask_rules, ALLOW), CALLS(VT_SYS_umask)},
    {DECIDE(setrlimit_rules, ALLOW), CALLS(VT_SYS_setrlimit)},
    {DECIDE(prlimit_rules, REFUSE(EPERM)), CALLS(VT_SYS_prlimit64)},
    {DECIDE(setpriority_rules, REFUSE(EPERM)), CALLS(VT_SYS_setpriority)},
    {DECIDE(ioprio_rules, REFUSE(EPERM)), CALLS(VT_SYS_ioprio_set)},
    {DECIDE(own_process_rules, REFUSE(EPERM)),
     CALLS(VT_SYS_sched_setparam, VT_SYS_sched_setscheduler, VT_SYS_sched_setattr, VT_SYS_sched_setaffinity)},
    {ALWAYS(REFUSE(EPERM)),
     CALLS(VT_SYS_ptrace, VT_SYS_process_vm_readv, VT_SYS_process_vm_writev, VT_SYS_pidfd_getfd, VT_SYS_kcmp,
           VT_SYS_process_madvise, VT_SYS_process_mrelease, VT_SYS_migrate_pages, VT_SYS_move_pages)},
    {DECIDE(futex_rules, ALLOW), CALLS(VT_SYS_futex)},
    /* On a read-only mapping mbind sets the NUMA policy of shared memory for all its users. */
    {ALWAYS(FAIL(ENOSYS)), CALLS(VT_SYS_futex_requeue, VT_SYS_mbind, VT_SYS_set_mempolicy_home_node)},
    {DECIDE(seccomp_rules, ALLOW), CALLS(VT_SYS_seccomp)},
    {DECIDE(prctl_rules, ALLOW), CALLS(VT_SYS_prctl)},
    {DECIDE(own_domain_rules, ALLOW), CALLS(VT_SYS_landlock_restrict_self)},
    {DECIDE(capset_rules, ALLOW), CALLS(VT_SYS_capset)},
    {DECIDE(signal_rules, ALLOW), CALLS(VT_SYS_kill, VT_SYS_tkill)},
    {DECIDE(thread_signal_rules, ALLOW), CALLS(VT_SYS_tgkill)},
    {DECIDE(rare_signal_rules, WATCH), CALLS(VT_SYS_rt_sigqueueinfo, VT_SYS_pidfd_send_signal)},
    {DECIDE(rare_thread_signal_rules, WATCH), CALLS(VT_SYS_rt_tgsigqueueinfo)},

    /* SysV and POSIX IPC, keyrings. A file opened on an mqueue file system is a queue too, and receiving consumes. */
    {DECIDE(segment_rules, REFUSE(EPERM)), CALLS(VT_SYS_shmget, VT_SYS_shmat, VT_SYS_shmctl)},
    {DECIDE(detach_rules, REFUSE(EPERM)), CALLS(VT_SYS_shmdt)},
    {ALWAYS(REFUSE(EPERM)),
     CALLS(VT_SYS_semget, VT_SYS_semop, VT_SYS_semctl,
           VT_SYS_semtimedop, VT_SYS_msgget, VT_SYS_msgsnd, VT_SYS_msgrcv, VT_SYS_msgctl, VT_SYS_mq_open,
           VT_SYS_mq_unlink, VT_SYS_mq_timedsend, VT_SYS_mq_timedreceive, VT_SYS_mq_notify, VT_SYS_add_key,
           VT_SYS_request_key, VT_SYS_keyctl)},

    /* Namespaces, mounts, file handles. */
    {ALWAYS(REFUSE(EPERM)),
     CALLS(VT_SYS_setns, VT_SYS_mount, VT_SYS_umount2, VT_SYS_pivot_root, VT_SYS_chroot, VT_SYS_fchroot, VT_SYS_open_tree,
           VT_SYS_open_tree_attr, VT_SYS_move_mount, VT_SYS_fsopen, VT_SYS_fsconfig, VT_SYS_fsmount, VT_SYS_fspick,
           VT_SYS_mount_setattr, VT_SYS_open_by_handle_at)},

    /* The system. A secret memory area prevents hibernation (memfd_secret(2)). */
    {ALWAYS(REFUSE(EPERM)),
     CALLS(VT_SYS_reboot, VT_SYS_kexec_load, VT_SYS_kexec_file_load, VT_SYS_init_module, VT_SYS_finit_module,
           VT_SYS_delete_module, VT_SYS_swapon, VT_SYS_swapoff, VT_SYS_settimeofday, VT_SYS_clock_settime,
           VT_SYS_adjtimex, VT_SYS_clock_adjtime, VT_SYS_sethostname, VT_SYS_setdomainname, VT_SYS_acct,
           VT_SYS_quotactl, VT_SYS_quotactl_fd, VT_SYS_vhangup, VT_SYS_bpf, VT_SYS_perf_event_open,
           VT_SYS_userfaultfd, VT_SYS_fanotify_init, VT_SYS_fanotify_mark, VT_SYS_lookup_dcookie, VT_SYS_lsm_set_self_attr)},
    {ALWAYS(FAIL(ENOSYS)), CALLS(VT_SYS_memfd_secret)},
    {DECIDE(syslog_rules, REFUSE(EPERM)), CALLS(VT_SYS_syslog)},

    /* x86 only: I/O ports and segments. Left out are calls that no kernel with Landlock has (nfsservctl(2), uselib(2), vserver(2)). */
    {ALWAYS(REFUSE(EPERM)), CALLS(VT_SYS_iopl, VT_SYS_ioperm, VT_SYS_modify_ldt)},
};

_Static_assert(COUNT(vt_groups) <= VT_GROUPS_MAX, "room for every group");
const size_t vt_group_count = COUNT(vt_groups);
