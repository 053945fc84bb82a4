/* Read mode's answer to each system call: a table, and the argument rules that it uses. */
#include <errno.h>

#include "confine/seccomp_constants.h"
#include "confine/seccomp_groups.h"
#include "confine/seccomp_ioctls.h"
#include "confine/seccomp_dsl.h"

/* Access mode 3 opens a file "for ioctl only", which needs no Landlock right (open(2), File access mode); also refused with
 * O_PATH, as no program sends it. O_RDONLY|O_TRUNC truncates (ABI below 3). */
#define REFUSED_FLAGS VT_O_ACCMODE, VT_O_ACCMODE | VT_O_TRUNC, VT_O_TRUNC
#define WRITE_INTENT (VT_O_ACCMODE | VT_O_CREAT | VT_O_TRUNC)
static const struct vt_rule open_rules[] = {
    {{MASKED(1, VT_O_ACCMODE | VT_O_TRUNC, REFUSED_FLAGS)}, REFUSE(EACCES)},
    {{HAS_ANY(1, WRITE_INTENT)}, WATCH},
};
static const struct vt_rule openat_rules[] = {
    {{MASKED(2, VT_O_ACCMODE | VT_O_TRUNC, REFUSED_FLAGS)}, REFUSE(EACCES)},
    {{HAS_ANY(2, WRITE_INTENT)}, WATCH},
};

/* No set-user-ID or set-group-ID files in a writable directory: they run as their owner. mkdir(2) ignores these bits. */
#define MAKES_FILE (VT_O_CREAT | VT_O_TMPFILE)
#define SET_ID (VT_S_ISUID | VT_S_ISGID)
static const struct vt_rule open_writable_rules[] = {
    {{MASKED(1, VT_O_ACCMODE | VT_O_TRUNC, REFUSED_FLAGS)}, REFUSE(EACCES)},
    {{HAS_ANY(1, MAKES_FILE), HAS_ANY(2, SET_ID)}, REFUSE(EPERM)},
    {{HAS_ANY(1, WRITE_INTENT)}, WATCH},
};
static const struct vt_rule openat_writable_rules[] = {
    {{MASKED(2, VT_O_ACCMODE | VT_O_TRUNC, REFUSED_FLAGS)}, REFUSE(EACCES)},
    {{HAS_ANY(2, MAKES_FILE), HAS_ANY(3, SET_ID)}, REFUSE(EPERM)},
    {{HAS_ANY(2, WRITE_INTENT)}, WATCH},
};
/* Growing a file past RLIMIT_FSIZE raises SIGXFSZ. BPF sees 32 bits at a time, so sizes of 1 MiB and more go to the
 * supervisor, which compares all 64. ftruncate(fd, length), fallocate(fd, mode, offset, length) */
#define MEBIBYTES 0xfff00000u
#define IS_LARGE(index, action) {{HAS_ANY(index, MEBIBYTES)}, (action)}, {{HIGH_HALF_HAS_ANY(index)}, (action)}
static const struct vt_rule resize_rules[] = {IS_LARGE(1, WATCH)};
static const struct vt_rule allocate_rules[] = {IS_LARGE(2, WATCH), IS_LARGE(3, WATCH)};
static const struct vt_rule make_writable_rules[] = {{{HAS_ANY(1, SET_ID)}, REFUSE(EPERM)}};
static const struct vt_rule make_at_writable_rules[] = {{{HAS_ANY(2, SET_ID)}, REFUSE(EPERM)}};

static const struct vt_rule ioctl_rules[] = {
    {{IS(1, READING_IOCTLS)}, ALLOW},
    {{IS(1, CHANGING_IOCTLS)}, REFUSE(ENOTTY)},
};
static const struct vt_rule ioctl_network_rules[] = {
    {{IS(1, READING_IOCTLS, INTERFACE_IOCTLS)}, ALLOW},
    {{IS(1, CHANGING_IOCTLS)}, REFUSE(ENOTTY)},
};
static const struct vt_rule ioctl_terminal_rules[] = {
    {{IS(1, READING_IOCTLS, TERMINAL_IOCTLS)}, ALLOW},
    {{IS(1, CHANGING_IOCTLS)}, REFUSE(ENOTTY)},
};
static const struct vt_rule ioctl_terminal_network_rules[] = {
    {{IS(1, READING_IOCTLS, TERMINAL_IOCTLS, INTERFACE_IOCTLS)}, ALLOW},
    {{IS(1, CHANGING_IOCTLS)}, REFUSE(ENOTTY)},
};

/* Left out: F_SETOWN, F_SETOWN_EX and F_SETSIG (signals to other processes), F_SETLEASE, F_NOTIFY, F_SETDELEG, the write
 * hints, and F_SETPIPE_SZ: a reader could set a FIFO's capacity for all its users. */
static const struct vt_rule fcntl_rules[] = {
    {{IS(1, VT_F_GETFL, VT_F_SETFL, VT_F_GETFD, VT_F_SETFD, VT_F_DUPFD, VT_F_DUPFD_CLOEXEC, VT_F_GETLK, VT_F_SETLK,
         VT_F_SETLKW, VT_F_GETOWN, VT_F_GETSIG, VT_F_GETOWN_EX, VT_F_GETOWNER_UIDS, VT_F_OFD_GETLK, VT_F_OFD_SETLK,
         VT_F_OFD_SETLKW, VT_F_GETLEASE, VT_F_DUPFD_QUERY, VT_F_CREATED_QUERY, VT_F_GETPIPE_SZ, VT_F_ADD_SEALS,
         VT_F_GET_SEALS, VT_F_GET_RW_HINT, VT_F_GET_FILE_RW_HINT)},
     ALLOW},
    {{IS(1, VT_F_SETOWN, VT_F_SETOWN_EX, VT_F_SETSIG, VT_F_SETLEASE, VT_F_SETDELEG, VT_F_SET_RW_HINT,
         VT_F_SET_FILE_RW_HINT)},
     REFUSE(EPERM)},
};

/* An exclusive lock needs no write access to the file, yet blocks every other process. */
static const struct vt_rule flock_rules[] = {{{HAS_ANY(1, VT_LOCK_EX)}, REFUSE(EBADF)}};

/* RLIMIT_CORE stays 1: with 0, a piped core_pattern still runs its helper (core(5)). Setting it is pretended, because shells
 * do. RLIMIT_FSIZE is noted: a limit of the command's own may then end it, not ours. */
static const struct vt_rule setrlimit_rules[] = {
    {{IS(0, VT_RLIMIT_CORE)}, PRETEND},
    {{IS(0, VT_RLIMIT_FSIZE)}, WATCH},
};
static const struct vt_rule prlimit_rules[] = {
    {{IS(0, 0), IS(2, 0), HIGH_HALF_IS(2, 0)}, ALLOW}, /* new_limit is NULL: reads */
    {{IS(0, 0), IS(1, VT_RLIMIT_CORE)}, PRETEND},
    {{IS(0, 0), IS(1, VT_RLIMIT_FSIZE)}, WATCH},
    {{IS(0, 0)}, ALLOW},
};

static const struct vt_rule setpriority_rules[] = {{{IS(0, VT_PRIO_PROCESS), IS(1, 0)}, ALLOW}};
static const struct vt_rule ioprio_rules[] = {{{IS(0, VT_IOPRIO_WHO_PROCESS), IS(1, 0)}, ALLOW}};
static const struct vt_rule own_process_rules[] = {{{IS(0, 0)}, ALLOW}};

/* With read access to a file that other processes map, requeueing could move their waiters to a futex that is never woken.
 * Within one process (FUTEX_PRIVATE_FLAG, which libc sets) it is allowed. Other flags, such as FUTEX_ROBUST_UNLOCK of Linux
 * 7.3, do not change the operation. */
static const struct vt_rule futex_rules[] = {
    {{MASKED(1, VT_FUTEX_COMMAND | VT_FUTEX_PRIVATE_FLAG, VT_FUTEX_REQUEUE, VT_FUTEX_CMP_REQUEUE, VT_FUTEX_CMP_REQUEUE_PI)},
     FAIL(ENOSYS)}};

/* CLONE_PARENT would make siblings of the command, whose end signals the host. unshare(2) may use known flags without a
 * namespace only: new ones (CLONE_NEWTIME, UNSHARE_EMPTY_MNTNS) are refused. */
#define SHARED_IN_PROCESS \
  (VT_CLONE_VM | VT_CLONE_FS | VT_CLONE_FILES | VT_CLONE_SIGHAND | VT_CLONE_THREAD | VT_CLONE_SYSVSEM)
static const struct vt_rule clone_rules[] = {{{HAS_ANY(0, VT_CLONE_NAMESPACES | VT_CLONE_PARENT)}, REFUSE(EPERM)}};
static const struct vt_rule unshare_rules[] = {{{HAS_ANY(0, ~SHARED_IN_PROCESS)}, REFUSE(EPERM)}};

/* A second listener in the tree could answer for ours once the supervisor is gone; until then the kernel itself returns EBUSY. */
static const struct vt_rule seccomp_rules[] = {
    {{IS(0, SECCOMP_SET_MODE_FILTER), HAS_ANY(1, SECCOMP_FILTER_FLAG_NEW_LISTENER)}, FAIL(EBUSY)}};

/* Left out: MPTCP, SCTP, SMC and raw sockets, which Landlock's TCP rules do not cover (landlock(7)). */
#define READING_NETLINK {IS(0, VT_AF_NETLINK), IS(2, VT_NETLINK_ROUTE, VT_NETLINK_SOCK_DIAG)}
#define PLAIN_INTERNET \
  {IS(0, VT_AF_INET, VT_AF_INET6), MASKED(1, VT_SOCK_TYPE_MASK, VT_SOCK_STREAM, VT_SOCK_DGRAM), \
   IS(2, VT_IPPROTO_DEFAULT, VT_IPPROTO_TCP, VT_IPPROTO_UDP)}
#define UNIX_STREAM {IS(0, VT_AF_UNIX), MASKED(1, VT_SOCK_TYPE_MASK, VT_SOCK_STREAM), IS(2, VT_IPPROTO_DEFAULT)}
static const struct vt_rule socket_rules[] = {{READING_NETLINK, ALLOW}};
static const struct vt_rule socket_network_rules[] = {{READING_NETLINK, ALLOW}, {PLAIN_INTERNET, ALLOW}};
static const struct vt_rule socket_unix_rules[] = {{READING_NETLINK, ALLOW}, {UNIX_STREAM, ALLOW}};
static const struct vt_rule socket_unix_network_rules[] = {
    {READING_NETLINK, ALLOW}, {PLAIN_INTERNET, ALLOW}, {UNIX_STREAM, ALLOW}};

/* A datagram pair could still sendmsg() to any path (unix(7)). */
static const struct vt_rule socketpair_rules[] = {
    {{IS(0, VT_AF_UNIX), MASKED(1, VT_SOCK_TYPE_MASK, VT_SOCK_STREAM, VT_SOCK_SEQPACKET)}, ALLOW}};

/* Clients bind too: netlink sockets always, internet sockets to a port that the kernel picks. Not allowed are a server's port,
 * and an abstract name for one end of a socket pair, which no other process could then use. The address is in memory, unseen
 * by the filter: the supervisor binds (notify/handlers/bind.c). Without a listener only netlink is allowed, by its address
 * length. */
static const struct vt_rule bind_rules[] = {{{IS(2, VT_SOCKADDR_NL_SIZE)}, ALLOW}};
static const struct vt_rule bind_judged_rules[] = {{{IS(2, VT_SOCKADDR_NL_SIZE)}, JUDGE}};
static const struct vt_rule bind_judged_network_rules[] = {
    {{IS(2, VT_SOCKADDR_NL_SIZE, VT_SOCKADDR_IN_SIZE, VT_SOCKADDR_IN6_SIZE, VT_SOCKADDR_STORAGE_SIZE)}, JUDGE}};

/* Fast open connects without Landlock's check of connect(2); TCP_ULP makes SMC of TCP. Multicast membership changes what the
 * interface receives for all; flow labels belong to the network namespace. Of two sockets on one port (SO_REUSEADDR) the
 * younger gets the datagrams, and IP_LOCAL_PORT_RANGE could pick another process's port. Clients need neither; some set
 * SO_REUSEADDR. */
#define JOINING VT_MCAST_JOIN_GROUP, VT_MCAST_JOIN_SOURCE_GROUP, VT_MCAST_MSFILTER
static const struct vt_rule setsockopt_rules[] = {
    {{IS(1, VT_SOL_TCP), IS(2, VT_TCP_FASTOPEN, VT_TCP_FASTOPEN_CONNECT, VT_TCP_FASTOPEN_KEY, VT_TCP_ULP)},
     FAIL(ENOPROTOOPT)},
    {{IS(1, VT_SOL_SOCKET), IS(2, VT_SO_REUSEADDR, VT_SO_REUSEPORT)}, PRETEND},
    {{IS(1, VT_SOL_IP), IS(2, VT_IP_LOCAL_PORT_RANGE)}, FAIL(ENOPROTOOPT)},
    {{IS(1, VT_SOL_IP), IS(2, VT_IP_ADD_MEMBERSHIP, VT_IP_ADD_SOURCE_MEMBERSHIP, VT_IP_MSFILTER, JOINING)}, REFUSE(EPERM)},
    {{IS(1, VT_SOL_IPV6), IS(2, VT_IPV6_ADD_MEMBERSHIP, VT_IPV6_JOIN_ANYCAST, VT_IPV6_FLOWLABEL_MGR, JOINING)}, REFUSE(EPERM)},
    {{IS(1, VT_SOL_SOCKET, VT_SOL_IP, VT_SOL_TCP, VT_SOL_UDP, VT_SOL_IPV6, VT_SOL_NETLINK)}, ALLOW},
};

/* MSG_FASTOPEN connects without Landlock's check of connect(2). */
static const struct vt_rule sendto_rules[] = {{{HAS_ANY(3, VT_MSG_FASTOPEN)}, FAIL(EOPNOTSUPP)}};
static const struct vt_rule sendmsg_rules[] = {{{HAS_ANY(2, VT_MSG_FASTOPEN)}, FAIL(EOPNOTSUPP)}};

/* Signal 0 is only a test (kill(2)): Landlock answers it. The command's own processes are younger than its session; for them
 * kill(2) and tgkill(2) are not notified, because a notified call can return EINTR (seccomp_unotify(2)), which no caller
 * expects: dash, whose SIGCHLD handler lacks SA_RESTART, lost one in forty. The other calls are rare enough to be notified for
 * any target. */
static const struct vt_rule signal_rules[] = {{{IS(1, 0)}, ALLOW}, {{OLDER(0)}, WATCH}};
static const struct vt_rule thread_signal_rules[] = {{{IS(2, 0)}, ALLOW}, {{OLDER(0)}, WATCH}};
static const struct vt_rule rare_signal_rules[] = {{{IS(1, 0)}, ALLOW}};
static const struct vt_rule rare_thread_signal_rules[] = {{{IS(2, 0)}, ALLOW}};

static const struct vt_rule syslog_rules[] = {
    {{IS(0, VT_SYSLOG_ACTION_READ_ALL, VT_SYSLOG_ACTION_SIZE_BUFFER)}, ALLOW}};

#define SIGNAL_CALLS \
  VT_SYS_kill, VT_SYS_tkill, VT_SYS_tgkill, VT_SYS_rt_sigqueueinfo, VT_SYS_rt_tgsigqueueinfo, VT_SYS_pidfd_send_signal

const struct vt_group vt_groups[] = {
    /* Files. openat2's flags are in memory: access mode 3 would open any device node past Landlock. Programs fall back to
     * openat. */
    {EVER, DECIDE(open_rules, ALLOW), CALLS(VT_SYS_open)},
    {EVER, DECIDE(openat_rules, ALLOW), CALLS(VT_SYS_openat)},
    {EVER, ALWAYS(FAIL(ENOSYS)), CALLS(VT_SYS_openat2)},
    {EVER, ALWAYS(WATCH),
     CALLS(VT_SYS_creat, VT_SYS_unlink, VT_SYS_unlinkat, VT_SYS_rmdir, VT_SYS_rename, VT_SYS_renameat,
           VT_SYS_renameat2, VT_SYS_link, VT_SYS_linkat, VT_SYS_symlink, VT_SYS_symlinkat, VT_SYS_mkdir,
           VT_SYS_mkdirat, VT_SYS_mknod, VT_SYS_mknodat, VT_SYS_truncate)},
    {WRITABLE, DECIDE(open_writable_rules, ALLOW), CALLS(VT_SYS_open)},
    {WRITABLE, DECIDE(openat_writable_rules, ALLOW), CALLS(VT_SYS_openat)},
    {WRITABLE, DECIDE(make_writable_rules, WATCH), CALLS(VT_SYS_creat, VT_SYS_mknod)},
    {WRITABLE, DECIDE(make_at_writable_rules, WATCH), CALLS(VT_SYS_mknodat)},
    {WRITABLE, DECIDE(resize_rules, ALLOW), CALLS(VT_SYS_ftruncate)},
    {WRITABLE, DECIDE(allocate_rules, ALLOW), CALLS(VT_SYS_fallocate)},
    {TRUNCATE_UNSEEN, ALWAYS(REFUSE(EROFS)), CALLS(VT_SYS_truncate)},
    {EVER, DECIDE(fcntl_rules, FAIL(EPERM)), CALLS(VT_SYS_fcntl)},
    {EVER, DECIDE(flock_rules, ALLOW), CALLS(VT_SYS_flock)},
    {NETWORK_SHUT, DECIDE(ioctl_rules, FAIL(ENOTTY)), CALLS(VT_SYS_ioctl)},
    {NETWORK_OPEN, DECIDE(ioctl_network_rules, FAIL(ENOTTY)), CALLS(VT_SYS_ioctl)},
    {OWN_TERMINAL, DECIDE(ioctl_terminal_rules, FAIL(ENOTTY)), CALLS(VT_SYS_ioctl)},
    {OWN_TERMINAL_NETWORK_OPEN, DECIDE(ioctl_terminal_network_rules, FAIL(ENOTTY)), CALLS(VT_SYS_ioctl)},

    /* io_uring works in kernel threads, past the filter; libuv and others fall back. */
    {EVER, ALWAYS(FAIL(ENOSYS)), CALLS(VT_SYS_io_uring_setup, VT_SYS_io_uring_enter, VT_SYS_io_uring_register)},

    /* Metadata, which Landlock does not see. */
    {EVER, ALWAYS(REFUSE(EROFS)),
     CALLS(VT_SYS_chmod, VT_SYS_fchmod, VT_SYS_fchmodat, VT_SYS_fchmodat2, VT_SYS_chown, VT_SYS_fchown, VT_SYS_lchown,
           VT_SYS_fchownat, VT_SYS_utime, VT_SYS_utimes, VT_SYS_futimesat, VT_SYS_utimensat, VT_SYS_setxattr,
           VT_SYS_lsetxattr, VT_SYS_fsetxattr, VT_SYS_removexattr, VT_SYS_lremovexattr, VT_SYS_fremovexattr,
           VT_SYS_setxattrat, VT_SYS_removexattrat, VT_SYS_file_setattr)},

    /* Sockets. */
    {NETWORK_SHUT, DECIDE(socket_rules, REFUSE(EACCES)), CALLS(VT_SYS_socket)},
    {NETWORK_OPEN, DECIDE(socket_network_rules, REFUSE(EACCES)), CALLS(VT_SYS_socket)},
    {EVER, DECIDE(socketpair_rules, REFUSE(EACCES)), CALLS(VT_SYS_socketpair)},
    {BINDS_UNJUDGED, DECIDE(bind_rules, REFUSE(EACCES)), CALLS(VT_SYS_bind)},
    {BINDS_JUDGED_SHUT, DECIDE(bind_judged_rules, REFUSE(EACCES)), CALLS(VT_SYS_bind)},
    {BINDS_JUDGED_OPEN, DECIDE(bind_judged_network_rules, REFUSE(EACCES)), CALLS(VT_SYS_bind)},
    {EVER, DECIDE(setsockopt_rules, REFUSE(EPERM)), CALLS(VT_SYS_setsockopt)},
    {NETWORK_SHUT, ALWAYS(REFUSE(EACCES)), CALLS(VT_SYS_connect)},
    /* Landlock decides which sockets can be reached. */
    {UNIX_OPEN_NETWORK_SHUT, DECIDE(socket_unix_rules, REFUSE(EACCES)), CALLS(VT_SYS_socket)},
    {UNIX_OPEN_NETWORK_OPEN, DECIDE(socket_unix_network_rules, REFUSE(EACCES)), CALLS(VT_SYS_socket)},
    {UNIX_OPEN, ALWAYS(WATCH), CALLS(VT_SYS_connect)},
    {EVER, ALWAYS(REFUSE(EACCES)), CALLS(VT_SYS_listen, VT_SYS_accept, VT_SYS_accept4)},
    {NETWORK_OPEN, DECIDE(sendto_rules, ALLOW), CALLS(VT_SYS_sendto, VT_SYS_sendmmsg)},
    {NETWORK_OPEN, DECIDE(sendmsg_rules, ALLOW), CALLS(VT_SYS_sendmsg)},

    /* Processes. clone3's flags are in memory; libc falls back to clone. setsid is pretended: the sweep finds every descendant
     * by the command's session id. */
    {EVER, DECIDE(clone_rules, ALLOW), CALLS(VT_SYS_clone)},
    {EVER, ALWAYS(FAIL(ENOSYS)), CALLS(VT_SYS_clone3)},
    {EVER, DECIDE(unshare_rules, ALLOW), CALLS(VT_SYS_unshare)},
    {EVER, ALWAYS(PRETEND), CALLS(VT_SYS_setsid)},
    {EVER, DECIDE(setrlimit_rules, ALLOW), CALLS(VT_SYS_setrlimit)},
    {EVER, DECIDE(prlimit_rules, REFUSE(EPERM)), CALLS(VT_SYS_prlimit64)},
    {EVER, DECIDE(setpriority_rules, REFUSE(EPERM)), CALLS(VT_SYS_setpriority)},
    {EVER, DECIDE(ioprio_rules, REFUSE(EPERM)), CALLS(VT_SYS_ioprio_set)},
    {EVER, DECIDE(own_process_rules, REFUSE(EPERM)),
     CALLS(VT_SYS_sched_setparam, VT_SYS_sched_setscheduler, VT_SYS_sched_setattr, VT_SYS_sched_setaffinity)},
    {EVER, ALWAYS(REFUSE(EPERM)),
     CALLS(VT_SYS_ptrace, VT_SYS_process_vm_readv, VT_SYS_process_vm_writev, VT_SYS_pidfd_getfd, VT_SYS_kcmp,
           VT_SYS_process_madvise, VT_SYS_process_mrelease, VT_SYS_migrate_pages, VT_SYS_move_pages)},
    {EVER, DECIDE(futex_rules, ALLOW), CALLS(VT_SYS_futex)},
    /* On a read-only mapping mbind sets the NUMA policy of shared memory for all its users. */
    {EVER, ALWAYS(FAIL(ENOSYS)), CALLS(VT_SYS_futex_requeue, VT_SYS_mbind, VT_SYS_set_mempolicy_home_node)},
    {EVER, DECIDE(seccomp_rules, ALLOW), CALLS(VT_SYS_seccomp)},
    {EVER, DECIDE(signal_rules, ALLOW), CALLS(VT_SYS_kill, VT_SYS_tkill)},
    {EVER, DECIDE(thread_signal_rules, ALLOW), CALLS(VT_SYS_tgkill)},
    {EVER, DECIDE(rare_signal_rules, WATCH), CALLS(VT_SYS_rt_sigqueueinfo, VT_SYS_pidfd_send_signal)},
    {EVER, DECIDE(rare_thread_signal_rules, WATCH), CALLS(VT_SYS_rt_tgsigqueueinfo)},
    {SIGNALS_REFUSED, ALWAYS(FAIL(EPERM)), CALLS(SIGNAL_CALLS)},
    {SIGNALS_JUDGED, ALWAYS(JUDGE), CALLS(SIGNAL_CALLS)},

    /* SysV and POSIX IPC, keyrings. A file opened on an mqueue file system is a queue too, and receiving consumes. */
    {EVER, ALWAYS(REFUSE(EPERM)),
     CALLS(VT_SYS_shmget, VT_SYS_shmat, VT_SYS_shmctl, VT_SYS_shmdt, VT_SYS_semget, VT_SYS_semop, VT_SYS_semctl,
           VT_SYS_semtimedop, VT_SYS_msgget, VT_SYS_msgsnd, VT_SYS_msgrcv, VT_SYS_msgctl, VT_SYS_mq_open,
           VT_SYS_mq_unlink, VT_SYS_mq_timedsend, VT_SYS_mq_timedreceive, VT_SYS_mq_notify, VT_SYS_add_key,
           VT_SYS_request_key, VT_SYS_keyctl)},

    /* Namespaces, mounts, file handles. */
    {EVER, ALWAYS(REFUSE(EPERM)),
     CALLS(VT_SYS_setns, VT_SYS_mount, VT_SYS_umount2, VT_SYS_pivot_root, VT_SYS_chroot, VT_SYS_fchroot, VT_SYS_open_tree,
           VT_SYS_open_tree_attr, VT_SYS_move_mount, VT_SYS_fsopen, VT_SYS_fsconfig, VT_SYS_fsmount, VT_SYS_fspick,
           VT_SYS_mount_setattr, VT_SYS_open_by_handle_at)},

    /* The system. A secret memory area prevents hibernation (memfd_secret(2)). */
    {EVER, ALWAYS(REFUSE(EPERM)),
     CALLS(VT_SYS_reboot, VT_SYS_kexec_load, VT_SYS_kexec_file_load, VT_SYS_init_module, VT_SYS_finit_module,
           VT_SYS_delete_module, VT_SYS_swapon, VT_SYS_swapoff, VT_SYS_settimeofday, VT_SYS_clock_settime,
           VT_SYS_adjtimex, VT_SYS_clock_adjtime, VT_SYS_sethostname, VT_SYS_setdomainname, VT_SYS_acct,
           VT_SYS_quotactl, VT_SYS_quotactl_fd, VT_SYS_vhangup, VT_SYS_bpf, VT_SYS_perf_event_open,
           VT_SYS_userfaultfd, VT_SYS_fanotify_init, VT_SYS_fanotify_mark, VT_SYS_lookup_dcookie, VT_SYS_nfsservctl,
           VT_SYS_lsm_set_self_attr)},
    {EVER, ALWAYS(FAIL(ENOSYS)), CALLS(VT_SYS_memfd_secret)},
    {EVER, DECIDE(syslog_rules, REFUSE(EPERM)), CALLS(VT_SYS_syslog)},

    /* x86 only: I/O ports, segments, and long obsolete calls. */
    {EVER, ALWAYS(REFUSE(EPERM)), CALLS(VT_SYS_iopl, VT_SYS_ioperm, VT_SYS_modify_ldt)},
    {EVER, ALWAYS(FAIL(EPERM)),
     CALLS(VT_SYS_uselib, VT_SYS_ustat, VT_SYS_sysfs, VT_SYS__sysctl, VT_SYS_create_module, VT_SYS_get_kernel_syms, VT_SYS_query_module, VT_SYS_getpmsg, VT_SYS_putpmsg,
           VT_SYS_afs_syscall, VT_SYS_tuxcall, VT_SYS_security, VT_SYS_set_thread_area, VT_SYS_get_thread_area,
           VT_SYS_epoll_ctl_old, VT_SYS_epoll_wait_old, VT_SYS_vserver)},
};

_Static_assert(COUNT(vt_groups) <= VT_GROUPS_MAX, "room for every group");
const size_t vt_group_count = COUNT(vt_groups);
