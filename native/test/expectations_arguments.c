#include "expectations.h"

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

#define OPEN "open", 2, NONE
#define OPENAT "openat", 257, 56
#define CREAT "creat", 85, NONE
#define MKNOD "mknod", 133, NONE
#define MKNODAT "mknodat", 259, 33
#define IOCTL "ioctl", 16, 29
#define FCNTL "fcntl", 72, 25
#define FLOCK "flock", 73, 32
#define CLONE "clone", 56, 220
#define UNSHARE "unshare", 272, 97
#define SETRLIMIT "setrlimit", 160, 164
#define PRLIMIT "prlimit64", 302, 261
#define SETPRIORITY "setpriority", 141, 140
#define IOPRIO_SET "ioprio_set", 251, 30
#define FUTEX "futex", 202, 98
#define SECCOMP "seccomp", 317, 277
#define SOCKET "socket", 41, 198
#define SOCKETPAIR "socketpair", 53, 199
#define BIND "bind", 49, 200
#define SETSOCKOPT "setsockopt", 54, 208
#define KILL "kill", 62, 129
#define TGKILL "tgkill", 234, 131
#define SYSLOG "syslog", 103, 116

const struct argument_row argument_rows[] = {
    /* open(path, flags): octal as in asm-generic/fcntl.h */
    {OPEN, ALL, {0, 00}, LET},
    {OPEN, ALL, {0, 01 | 0100 | 01000}, SEE}, /* Landlock decides on writing */
    {OPEN, ALL, {0, 02}, SEE},
    {OPEN, ALL, {0, 03}, TELL(EACCES)},
    {OPEN, ALL, {0, 01000}, TELL(EACCES)}, /* O_RDONLY|O_TRUNC */
    {OPEN, ALL, {3, 00, 03}, LET},   /* the mode is not the flags */
    {OPEN, ALL, {0, 01 | 0100, 0777}, SEE},
    {OPEN, SOMETHING_WRITABLE, {0, 01 | 0100, 04755}, TELL(EPERM)}, /* set-user-ID */
    {OPEN, SOMETHING_WRITABLE, {0, 02 | 020000000, 02755}, TELL(EPERM)}, /* set-group-ID */
    {OPEN, ALL, {0, 01, 04755}, SEE}, /* makes no file: the mode means nothing */

    /* openat(dirfd, path, flags) */
    {OPENAT, ALL, {0, 0, 00}, LET},
    {OPENAT, ALL, {0, 0, 02000000 | 0200000 | 040000}, LET}, /* O_CLOEXEC, O_DIRECTORY of either architecture */
    {OPENAT, ALL, {0, 0, 01 | 0100 | 01000}, SEE},
    {OPENAT, ALL, {0, 0, 02 | 020000000}, SEE}, /* O_TMPFILE */
    {OPENAT, ALL, {0, 0, 03}, TELL(EACCES)},
    {OPENAT, ALL, {0, 0, 03 | 04000}, TELL(EACCES)},
    {OPENAT, ALL, {0, 0, 03 | 01000}, TELL(EACCES)},
    {OPENAT, ALL, {0, 0, 01000}, TELL(EACCES)},
    {OPENAT, ALL, {0, 0, 01000 | 0100}, TELL(EACCES)},
    {OPENAT, ALL, {0, 0, 010000000}, LET},          /* O_PATH */
    {OPENAT, ALL, {0, 0, 0xffffffff}, TELL(EACCES)},
    {OPENAT, ALL, {0, 0, 0xfffffdfc}, SEE},         /* all but O_ACCMODE and O_TRUNC */
    {OPENAT, ALL, {0xffffff9c, 3, 0400, 03}, LET},  /* AT_FDCWD */
    {OPENAT, ALL, {0, 0, 01 | 0100, 01777}, SEE},
    {OPENAT, SOMETHING_WRITABLE, {0, 0, 01 | 0100, 04755}, TELL(EPERM)},
    {OPENAT, SOMETHING_WRITABLE, {0, 0, 0100, 02755}, TELL(EPERM)},
    {OPENAT, SOMETHING_WRITABLE, {0, 0, 02 | 020000000, 06000}, TELL(EPERM)},
    {OPENAT, ALL, {0, 0, 00, 06000}, LET},

    /* creat(path, mode), mknod(path, mode), mknodat(dirfd, path, mode) */
    {CREAT, SOMETHING_WRITABLE, {0, 0666}, SEE},
    {CREAT, SOMETHING_WRITABLE, {0, 04666}, TELL(EPERM)},
    {MKNOD, SOMETHING_WRITABLE, {0, 0010666}, SEE}, /* a FIFO */
    {MKNOD, SOMETHING_WRITABLE, {0, 0102666}, TELL(EPERM)},
    {MKNODAT, SOMETHING_WRITABLE, {04000, 04000, 0100666}, SEE},
    {MKNODAT, SOMETHING_WRITABLE, {0, 0, 0104666}, TELL(EPERM)},

    /* ioctl(fd, command) */
    {IOCTL, ALL, {0, 0x5401}, LET},         /* TCGETS */
    {IOCTL, ALL, {0, 0x80086601}, LET},     /* FS_IOC_GETFLAGS */
    {IOCTL, ALL, {0, 0x40086602}, TELL(ENOTTY)},  /* FS_IOC_SETFLAGS */
    {IOCTL, ALL, {0, 0x401c5820}, TELL(ENOTTY)},  /* FS_IOC_FSSETXATTR */
    {IOCTL, ALL, {0, 0x40049409}, TELL(ENOTTY)},  /* FICLONE */
    {IOCTL, ALL, {0, 0x5000940e}, TELL(ENOTTY)},  /* BTRFS_IOC_SNAP_CREATE of linux/btrfs.h */
    {IOCTL, ALL, {0, 0x5412}, TELL(ENOTTY)},      /* TIOCSTI */
    {IOCTL, ALL, {0, 0x541c}, TELL(ENOTTY)},      /* TIOCLINUX */
    {IOCTL, NO_TERMINAL, {0, 0x5402}, ENOTTY}, /* TCSETS */
    {IOCTL, OWN_TTY, {0, 0x5402}, LET},
    {IOCTL, NO_TERMINAL, {0, 0x5410}, ENOTTY}, /* TIOCSPGRP */
    {IOCTL, OWN_TTY, {0, 0x5410}, LET},
    {IOCTL, ALL, {0, 0x540c}, ENOTTY},      /* TIOCEXCL */
    {IOCTL, ALL, {0, 0x5422}, ENOTTY},      /* TIOCNOTTY */
    {IOCTL, ALL, {0, 0x5423}, ENOTTY},      /* TIOCSETD */
    {IOCTL, ALL, {0, 0x4b3a}, ENOTTY},      /* KDSETMODE */
    {IOCTL, ALL, {0, 0x5606}, ENOTTY},      /* VT_ACTIVATE */
    {IOCTL, ALL, {0, 0x540e}, ENOTTY},      /* TIOCSCTTY */
    {IOCTL, NO_TERMINAL, {0, 0x5414}, ENOTTY}, /* TIOCSWINSZ */
    {IOCTL, OWN_TTY, {0, 0x5414}, LET},
    {IOCTL, ALL, {0, 0x5452}, ENOTTY},      /* FIOASYNC */
    {IOCTL, ALL, {0, 0x8901}, ENOTTY},      /* FIOSETOWN */
    {IOCTL, ALL, {0, 0x1}, ENOTTY},         /* FIBMAP */
    {IOCTL, ALL, {0, 0xc0105303}, ENOTTY},
    {IOCTL, NET_OFF, {0, 0x8912}, ENOTTY},  /* SIOCGIFCONF */
    {IOCTL, NET_ON, {0, 0x8912}, LET},
    {IOCTL, ALL, {0, 0x8914}, TELL(ENOTTY)},      /* SIOCSIFFLAGS */
    {IOCTL, ALL, {0, 0x8916}, TELL(ENOTTY)},      /* SIOCSIFADDR */
    {IOCTL, ALL, {0, 0x8946}, ENOTTY},      /* SIOCETHTOOL */

    /* fcntl(fd, command) */
    {FCNTL, ALL, {0, 6}, LET},       /* F_SETLK */
    {FCNTL, ALL, {0, 8}, TELL(EPERM)},     /* F_SETOWN */
    {FCNTL, ALL, {0, 10}, TELL(EPERM)},    /* F_SETSIG */
    {FCNTL, ALL, {0, 15}, TELL(EPERM)},    /* F_SETOWN_EX */
    {FCNTL, ALL, {0, 1024}, TELL(EPERM)},  /* F_SETLEASE */
    {FCNTL, ALL, {0, 1025}, LET},    /* F_GETLEASE */
    {FCNTL, ALL, {0, 1026}, EPERM},  /* F_NOTIFY */
    {FCNTL, ALL, {0, 1030}, LET},    /* F_DUPFD_CLOEXEC */
    {FCNTL, ALL, {0, 1031}, EPERM},  /* F_SETPIPE_SZ */
    {FCNTL, ALL, {0, 1036}, TELL(EPERM)},  /* F_SET_RW_HINT */
    {FCNTL, ALL, {0, 1038}, TELL(EPERM)},  /* F_SET_FILE_RW_HINT */
    {FCNTL, ALL, {0, 1040}, TELL(EPERM)},  /* F_SETDELEG */

    /* flock(fd, operation) */
    {FLOCK, ALL, {0, 1}, LET},
    {FLOCK, ALL, {0, 1 | 4}, LET},
    {FLOCK, ALL, {0, 8}, LET},
    {FLOCK, ALL, {2, 1}, LET},
    {FLOCK, ALL, {0, 2}, TELL(EBADF)},
    {FLOCK, ALL, {0, 2 | 4}, TELL(EBADF)},

    /* clone(flags), unshare(flags): linux/sched.h */
    {CLONE, ALL, {17}, LET},                      /* SIGCHLD: fork */
    {CLONE, ALL, {0x003d0f00}, LET},              /* pthread_create of glibc */
    {CLONE, ALL, {0x4000 | 0x100 | 17}, LET},     /* vfork */
    {CLONE, ALL, {0x8000 | 17}, TELL(EPERM)},           /* CLONE_PARENT */
    {CLONE, ALL, {0x10000000 | 17}, TELL(EPERM)},       /* CLONE_NEWUSER */
    {CLONE, ALL, {0x00020000 | 17}, TELL(EPERM)},       /* CLONE_NEWNS */
    {CLONE, ALL, {0xffffffff}, TELL(EPERM)},
    {UNSHARE, ALL, {0}, LET},
    {UNSHARE, ALL, {0x200 | 0x400 | 0x40000}, LET},
    {UNSHARE, ALL, {0x10000000}, TELL(EPERM)},
    {UNSHARE, ALL, {0x80}, TELL(EPERM)},                /* CLONE_NEWTIME */
    {UNSHARE, ALL, {0x00100000}, TELL(EPERM)},          /* UNSHARE_EMPTY_MNTNS */

    /* setrlimit(resource), prlimit64(pid, resource, new, old) */
    {SETRLIMIT, ALL, {4}, DONE}, /* RLIMIT_CORE */
    {SETRLIMIT, ALL, {7}, LET},
    {SETRLIMIT, ALL, {1}, SEE}, /* RLIMIT_FSIZE */
    {PRLIMIT, ALL, {0, 1, 0x1000}, SEE},
    {PRLIMIT, ALL, {0, 1, 0}, LET},
    {PRLIMIT, ALL, {1, 1, 0x1000}, TELL(EPERM)},
    {PRLIMIT, ALL, {0, 4, 0}, LET},
    {PRLIMIT, ALL, {0, 4, 0x1000}, DONE},
    {PRLIMIT, ALL, {0, 4, 0x7f0000000000}, DONE}, /* a pointer whose low half is 0 */
    {PRLIMIT, ALL, {0, 7, 0x7f0000000000}, LET},
    {PRLIMIT, ALL, {0, 7, 0}, LET},
    {PRLIMIT, ALL, {1, 7, 0}, TELL(EPERM)},
    {PRLIMIT, ALL, {1, 4, 0x1000}, TELL(EPERM)},
    {PRLIMIT, ALL, {0xffffffff, 0, 0}, TELL(EPERM)},

    /* setpriority(which, who), ioprio_set(which, who), sched_set*(pid) */
    {SETPRIORITY, ALL, {0, 0, 19}, LET},
    {SETPRIORITY, ALL, {0, 1}, TELL(EPERM)},
    {SETPRIORITY, ALL, {1, 0}, TELL(EPERM)},
    {SETPRIORITY, ALL, {2, 0}, TELL(EPERM)},
    {IOPRIO_SET, ALL, {1, 0, 7}, LET},
    {IOPRIO_SET, ALL, {1, 1}, TELL(EPERM)},
    {IOPRIO_SET, ALL, {2, 0}, TELL(EPERM)},
    {IOPRIO_SET, ALL, {0, 0}, TELL(EPERM)},
    {"sched_setparam", 142, 118, ALL, {0}, LET},
    {"sched_setparam", 142, 118, ALL, {1}, TELL(EPERM)},
    {"sched_setscheduler", 144, 119, ALL, {0, 3}, LET},
    {"sched_setscheduler", 144, 119, ALL, {1}, TELL(EPERM)},
    {"sched_setaffinity", 203, 122, ALL, {0, 8}, LET},
    {"sched_setaffinity", 203, 122, ALL, {0xffffffff}, TELL(EPERM)},
    {"sched_setattr", 314, 274, ALL, {0}, LET},
    {"sched_setattr", 314, 274, ALL, {0x80000000}, TELL(EPERM)},

    /* futex(address, operation): linux/futex.h */
    {FUTEX, ALL, {0x1000, 0}, LET},            /* FUTEX_WAIT */
    {FUTEX, ALL, {0x1000, 1}, LET},            /* FUTEX_WAKE */
    {FUTEX, ALL, {0x1000, 9 | 256}, LET},      /* FUTEX_WAIT_BITSET, as pthread_join has it */
    {FUTEX, ALL, {0x1000, 3 | 128}, LET},      /* FUTEX_REQUEUE within the process */
    {FUTEX, ALL, {0x1000, 12 | 128 | 256}, LET},
    {FUTEX, ALL, {0x1000, 3}, ENOSYS},
    {FUTEX, ALL, {0x1000, 4}, ENOSYS},         /* FUTEX_CMP_REQUEUE */
    {FUTEX, ALL, {0x1000, 12}, ENOSYS},        /* FUTEX_CMP_REQUEUE_PI */
    {FUTEX, ALL, {0x1000, 3 | 256}, ENOSYS},
    {FUTEX, ALL, {0x1000, 3 | 512}, ENOSYS},   /* FUTEX_ROBUST_UNLOCK, Linux 7.3 */
    {FUTEX, ALL, {0x1000, 1 | 512}, LET},      /* FUTEX_UNLOCK_WAKE_LIST64 */

    /* seccomp(operation, flags): a filter of one's own, but no second listener */
    {SECCOMP, ALL, {0}, LET},
    {SECCOMP, ALL, {1, 0}, LET},
    {SECCOMP, ALL, {1, 1 | 2 | 4}, LET},
    {SECCOMP, ALL, {1, 8}, EBUSY},
    {SECCOMP, ALL, {1, 8 | 32}, EBUSY},
    {SECCOMP, ALL, {2, 8}, LET},

    /* socket(domain, type, protocol) */
    {SOCKET, ALL, {16, 3, 0}, LET},                    /* NETLINK_ROUTE */
    {SOCKET, ALL, {16, 3 | 02000000, 4}, LET},         /* NETLINK_SOCK_DIAG */
    {SOCKET, ALL, {16, 3, 9}, TELL(EACCES)},                 /* NETLINK_AUDIT */
    {SOCKET, ALL, {16, 3, 2}, TELL(EACCES)},                 /* NETLINK_USERSOCK */
    {SOCKET, UNIX_OFF, {1, 1, 0}, TELL(EACCES)},             /* AF_UNIX */
    {SOCKET, UNIX_ON, {1, 1 | 02000000 | 04000, 0}, LET},
    {SOCKET, ALL, {1, 1, 1}, TELL(EACCES)},
    {SOCKET, ALL, {1, 5, 0}, TELL(EACCES)},
    {SOCKET, ALL, {1, 2, 0}, TELL(EACCES)},
    {SOCKET, NET_OFF, {2, 1, 0}, TELL(EACCES)},
    {SOCKET, NET_OFF, {10, 2, 17}, TELL(EACCES)},
    {SOCKET, NET_ON, {2, 1, 0}, LET},
    {SOCKET, NET_ON, {2, 1 | 02000000 | 04000, 6}, LET},
    {SOCKET, NET_ON, {10, 2, 17}, LET},
    {SOCKET, ALL, {2, 3, 255}, TELL(EACCES)},                /* raw */
    {SOCKET, ALL, {2, 3, 0}, TELL(EACCES)},
    {SOCKET, ALL, {2, 2, 1}, TELL(EACCES)},                  /* ping */
    {SOCKET, ALL, {2, 1, 262}, TELL(EACCES)},                /* MPTCP */
    {SOCKET, ALL, {2, 1, 132}, TELL(EACCES)},                /* SCTP */
    {SOCKET, ALL, {2, 5, 132}, TELL(EACCES)},
    {SOCKET, ALL, {17, 3, 0}, TELL(EACCES)},                 /* AF_PACKET */
    {SOCKET, ALL, {38, 5, 0}, TELL(EACCES)},                 /* AF_ALG */
    {SOCKET, ALL, {40, 1, 0}, TELL(EACCES)},                 /* AF_VSOCK */
    {SOCKET, ALL, {43, 1, 0}, TELL(EACCES)},                 /* AF_SMC */
    {SOCKETPAIR, ALL, {1, 1}, LET},
    {SOCKETPAIR, ALL, {1, 5 | 02000000}, LET},
    {SOCKETPAIR, ALL, {1, 2}, TELL(EACCES)},
    {SOCKETPAIR, ALL, {1, 2 | 04000}, TELL(EACCES)},
    {SOCKETPAIR, ALL, {30, 1}, TELL(EACCES)},                /* AF_TIPC */

    /* bind(fd, address, length): lengths of sockaddr_nl, _in, _in6, _storage */
    {BIND, BIND_JUDGED, {3, 0, 12}, ASK},
    {BIND, BIND_UNJUDGED, {3, 0, 12}, LET},
    {BIND, BIND_UNJUDGED, {3, 0, 16}, TELL(EACCES)},
    {BIND, BIND_UNJUDGED, {3, 0, 28}, TELL(EACCES)},
    {BIND, BIND_UNJUDGED, {3, 0, 128}, TELL(EACCES)},
    {BIND, BIND_JUDGED_NET_OFF, {3, 0, 16}, TELL(EACCES)},
    {BIND, BIND_JUDGED_NET_ON, {3, 0, 16}, ASK},
    {BIND, BIND_JUDGED_NET_ON, {3, 0, 28}, ASK},
    {BIND, BIND_JUDGED_NET_ON, {3, 0, 128}, ASK},
    {BIND, ALL, {3, 0, 2}, TELL(EACCES)},   /* autobind of AF_UNIX */
    {BIND, ALL, {3, 0, 11}, TELL(EACCES)},
    {BIND, ALL, {3, 0, 110}, TELL(EACCES)}, /* sockaddr_un */

    /* setsockopt(fd, level, option): asm-generic/socket.h, linux/in.h, linux/in6.h, linux/tcp.h, linux/netlink.h */
    {SETSOCKOPT, ALL, {3, 1, 9}, LET},            /* SO_KEEPALIVE */
    {SETSOCKOPT, ALL, {3, 1, 2}, DONE},           /* SO_REUSEADDR */
    {SETSOCKOPT, ALL, {3, 1, 15}, DONE},          /* SO_REUSEPORT */
    {SETSOCKOPT, ALL, {3, 0, 51}, ENOPROTOOPT},   /* IP_LOCAL_PORT_RANGE */
    {SETSOCKOPT, ALL, {3, 6, 2}, LET},            /* TCP_MAXSEG */
    {SETSOCKOPT, ALL, {3, 6, 1}, LET},            /* TCP_NODELAY */
    {SETSOCKOPT, ALL, {3, 0, 11}, LET},           /* IP_RECVERR */
    {SETSOCKOPT, ALL, {3, 41, 26}, LET},          /* IPV6_V6ONLY */
    {SETSOCKOPT, ALL, {3, 270, 1}, LET},          /* NETLINK_ADD_MEMBERSHIP */
    {SETSOCKOPT, ALL, {3, 6, 23}, ENOPROTOOPT},   /* TCP_FASTOPEN */
    {SETSOCKOPT, ALL, {3, 6, 30}, ENOPROTOOPT},   /* TCP_FASTOPEN_CONNECT */
    {SETSOCKOPT, ALL, {3, 6, 31}, ENOPROTOOPT},   /* TCP_ULP */
    {SETSOCKOPT, ALL, {3, 0, 35}, TELL(EPERM)},   /* IP_ADD_MEMBERSHIP */
    {SETSOCKOPT, ALL, {3, 0, 42}, TELL(EPERM)},   /* MCAST_JOIN_GROUP */
    {SETSOCKOPT, ALL, {3, 41, 20}, TELL(EPERM)},  /* IPV6_ADD_MEMBERSHIP */
    {SETSOCKOPT, ALL, {3, 41, 46}, TELL(EPERM)},  /* MCAST_JOIN_SOURCE_GROUP */
    {SETSOCKOPT, ALL, {3, 255, 0}, TELL(EPERM)},  /* SOL_RAW */
    {SETSOCKOPT, ALL, {3, 132, 0}, TELL(EPERM)},  /* SOL_SCTP */
    {SETSOCKOPT, ALL, {3, 263, 1}, TELL(EPERM)},  /* SOL_PACKET */
    {SETSOCKOPT, ALL, {3, 284, 1}, TELL(EPERM)},  /* SOL_MPTCP */

    /* sendto, sendmmsg (flags: 4th), sendmsg (3rd): MSG_FASTOPEN */
    {"sendto", 44, 206, ALL, {3, 0, 0, 0x4000}, LET},
    {"sendto", 44, 206, NET_ON, {3, 0, 0, 0x20000000}, EOPNOTSUPP},
    {"sendmmsg", 307, 269, NET_ON, {3, 0, 1, 0x20004000}, EOPNOTSUPP},
    {"sendmmsg", 307, 269, ALL, {3, 0, 0x20000000, 0}, LET},
    {"sendmsg", 46, 211, NET_ON, {3, 0, 0x20000000}, EOPNOTSUPP},
    {"sendmsg", 46, 211, ALL, {3, 0, 0, 0x20000000}, LET},

    /* kill(target, signal), before any session is put in: 0 and -1 name no other, the rest is asked about; signal 0 is none */
    {KILL, ABI_6_UP, {0, 15}, LET},
    {KILL, ABI_6_UP, {0xffffffff, 15}, LET},
    {KILL, ABI_6_UP, {1, 15}, SEE},
    {KILL, ABI_6_UP, {1, 0}, LET},
    {KILL, ABI_6_UP, {4194304, 15}, SEE},
    {KILL, ABI_6_UP, {0xfffffffe, 15}, SEE},
    {KILL, ABI_6_UP, {0xffc00000, 15}, SEE}, /* -4194304 */
    {TGKILL, ABI_6_UP, {1, 1, 15}, SEE},
    {TGKILL, ABI_6_UP, {1, 15, 0}, LET},
    {"tkill", 200, 130, ABI_6_UP, {1, 15}, SEE},
    {"tkill", 200, 130, ABI_6_UP, {1, 0}, LET},
    {"rt_sigqueueinfo", 129, 138, ABI_6_UP, {1, 15}, SEE},
    {"rt_sigqueueinfo", 129, 138, ABI_6_UP, {1, 0}, LET},
    {"rt_tgsigqueueinfo", 297, 240, ABI_6_UP, {1, 1, 15}, SEE},
    {"rt_tgsigqueueinfo", 297, 240, ABI_6_UP, {1, 1, 0}, LET},
    {"pidfd_send_signal", 424, 424, ABI_6_UP, {3, 15}, SEE},
    {"pidfd_send_signal", 424, 424, ABI_6_UP, {3, 0}, LET},

    /* syslog(action): only READ_ALL and SIZE_BUFFER */
    {SYSLOG, ALL, {3}, LET},
    {SYSLOG, ALL, {10}, LET},
    {SYSLOG, ALL, {2}, TELL(EPERM)}, /* READ consumes */
    {SYSLOG, ALL, {4}, TELL(EPERM)}, /* READ_CLEAR */
    {SYSLOG, ALL, {5}, TELL(EPERM)},
    {SYSLOG, ALL, {8}, TELL(EPERM)},
    {SYSLOG, ALL, {9}, TELL(EPERM)},
};
const size_t argument_row_count = COUNT(argument_rows);
