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
#define PRCTL "prctl", 157, 167
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
    {OPENAT, OWN_ON, {0, 0, 04000}, SEE}, /* O_NONBLOCK */
    {OPENAT, OWN_ON, {0, 0, 04000 | 02000000}, SEE},
    {OPENAT, NOT_OWN, {0, 0, 04000}, LET},
    {OPENAT, ALL, {0, 0, 04000 | 0400}, LET}, /* O_NOCTTY */
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
    {OPENAT, ALL, {3, 0, 0x4000000}, LET},               /* O_EMPTYPATH of Linux 7.3, read only */
    {OPENAT, ALL, {3, 0, 0x4000000 | 01}, SEE},          /* the file of descriptor 3, for writing */
    {OPENAT, ALL, {3, 0, 0x4000000 | 02}, SEE},
    {OPENAT, ALL, {3, 0, 0x4000000 | 03}, TELL(EACCES)},
    {OPENAT, ALL, {3, 0, 0x4000000 | 01000}, TELL(EACCES)},

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
    {IOCTL, NOT_OWN, {0, 0x5422}, ENOTTY},  /* TIOCNOTTY */
    {IOCTL, PRETENDED_SESSIONS, {0, 0x5422}, DONE},
    {IOCTL, OWN_SESSIONS, {0, 0x5422}, LET},
    {IOCTL, OWN_ON, {0, 0x5441}, ASK},      /* TIOCGPTPEER */
    {IOCTL, NOT_OWN, {0, 0x5441}, ENOTTY},
    {IOCTL, OWN_ON, {0, 0x40045431}, LET},  /* TIOCSPTLCK */
    {IOCTL, NOT_OWN, {0, 0x40045431}, ENOTTY},
    {IOCTL, ALL, {0, 0x5423}, ENOTTY},      /* TIOCSETD */
    {IOCTL, ALL, {0, 0x4b3a}, ENOTTY},      /* KDSETMODE */
    {IOCTL, ALL, {0, 0x5606}, ENOTTY},      /* VT_ACTIVATE */
    {IOCTL, NOT_OWN, {0, 0x540e}, ENOTTY},  /* TIOCSCTTY */
    {IOCTL, PRETENDED_SESSIONS, {0, 0x540e}, DONE},
    {IOCTL, OWN_SESSIONS, {0, 0x540e}, LET},
    {IOCTL, OWN_SESSIONS, {0, 0x540e, 1}, LET},
    {IOCTL, NO_TERMINAL, {0, 0x5414}, ENOTTY}, /* TIOCSWINSZ */
    {IOCTL, OWN_TTY, {0, 0x5414}, LET},
    {IOCTL, ALL, {0, 0x5452}, ENOTTY},      /* FIOASYNC */
    {IOCTL, ALL, {0, 0x8901}, ENOTTY},      /* FIOSETOWN */
    {IOCTL, ALL, {0, 0x1}, ENOTTY},         /* FIBMAP */
    {IOCTL, ALL, {0, 0xc0105303}, ENOTTY},
    {IOCTL, NET_OFF, {0, 0x8912}, ENOTTY},  /* SIOCGIFCONF */
    {IOCTL, NET_ON, {0, 0x8912}, LET},
    {IOCTL, OWN_ON, {0, 0x8912}, LET},
    {IOCTL, OWN_ON, {0, 0x8942}, LET}, /* SIOCGIFTXQLEN */
    {IOCTL, OWN_ON, {0, 0x8922}, ENOTTY}, /* SIOCSIFMTU */
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
    {SETRLIMIT, ALL, {10}, DONE}, /* RLIMIT_LOCKS */
    {SETRLIMIT, ALL, {7}, LET},
    {SETRLIMIT, ALL, {1}, SEE}, /* RLIMIT_FSIZE */
    {PRLIMIT, ALL, {0, 1, 0x1000}, SEE},
    {PRLIMIT, ALL, {0, 1, 0}, LET},
    {PRLIMIT, ALL, {1, 1, 0x1000}, TELL(EPERM)},
    {PRLIMIT, ALL, {0, 4, 0}, LET},
    {PRLIMIT, ALL, {0, 4, 0x1000}, DONE},
    {PRLIMIT, ALL, {0, 4, 0x7f0000000000}, DONE}, /* a pointer whose low half is 0 */
    {PRLIMIT, ALL, {0, 7, 0x7f0000000000}, LET},
    {PRLIMIT, ALL, {0, 10, 0}, LET},
    {PRLIMIT, ALL, {0, 10, 0x7f0000000000}, DONE},
    {PRLIMIT, ALL, {1, 10, 0x1000}, TELL(EPERM)},
    {PRLIMIT, ALL, {0, 7, 0}, LET},
    {PRLIMIT, ALL, {1, 7, 0}, TELL(EPERM)},
    {PRLIMIT, ALL, {1, 4, 0x1000}, TELL(EPERM)},
    {PRLIMIT, ALL, {0xffffffff, 0, 0}, TELL(EPERM)},

    /* setpriority(which, who), ioprio_set(which, who), sched_set*(pid) */
    {SETPRIORITY, ALL, {0, 0, 19}, LET},
    {SETPRIORITY, BIND_UNJUDGED, {0, 1}, TELL(EPERM)},
    {SETPRIORITY, BIND_JUDGED, {0, 1}, ASK},
    {SETPRIORITY, ALL, {1, 0}, TELL(EPERM)},
    {SETPRIORITY, ALL, {2, 0}, TELL(EPERM)},
    {IOPRIO_SET, ALL, {1, 0, 7}, LET},
    {IOPRIO_SET, BIND_UNJUDGED, {1, 1}, TELL(EPERM)},
    {IOPRIO_SET, BIND_JUDGED, {1, 1}, ASK},
    {IOPRIO_SET, ALL, {2, 0}, TELL(EPERM)},
    {IOPRIO_SET, ALL, {0, 0}, TELL(EPERM)},
    {"sched_setparam", 142, 118, ALL, {0}, LET},
    {"sched_setparam", 142, 118, BIND_UNJUDGED, {1}, TELL(EPERM)},
    {"sched_setparam", 142, 118, BIND_JUDGED, {1}, ASK},
    {"sched_setscheduler", 144, 119, ALL, {0, 3}, LET},
    {"sched_setscheduler", 144, 119, BIND_UNJUDGED, {1}, TELL(EPERM)},
    {"sched_setscheduler", 144, 119, BIND_JUDGED, {1}, ASK},
    {"sched_setaffinity", 203, 122, ALL, {0, 8}, LET},
    {"sched_setaffinity", 203, 122, BIND_UNJUDGED, {0xffffffff}, TELL(EPERM)},
    {"sched_setaffinity", 203, 122, BIND_JUDGED, {0xffffffff}, ASK},
    {"sched_setattr", 314, 274, ALL, {0}, LET},
    {"sched_setattr", 314, 274, BIND_UNJUDGED, {0x80000000}, TELL(EPERM)},
    {"sched_setattr", 314, 274, BIND_JUDGED, {0x80000000}, ASK},

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
    {SECCOMP, BIND_UNJUDGED, {1, 0}, LET},
    {SECCOMP, BIND_UNJUDGED, {1, 1 | 2 | 4}, LET},
    {SECCOMP, BIND_JUDGED, {1, 0}, ASK},
    {SECCOMP, BIND_JUDGED, {1, 1 | 2 | 4}, ASK},
    {SECCOMP, ALL, {1, 8}, EBUSY},
    {SECCOMP, ALL, {1, 8 | 32}, EBUSY},
    {SECCOMP, ALL, {2, 8}, LET},
    {PRCTL, ALL, {15}, LET}, /* PR_SET_NAME */
    {PRCTL, ALL, {22, 1}, LET}, /* PR_SET_SECCOMP, SECCOMP_MODE_STRICT: EINVAL under a filter */
    {PRCTL, ALL, {38, 2}, LET}, /* PR_SET_NO_NEW_PRIVS */
    {PRCTL, BIND_UNJUDGED, {22, 2}, LET},
    {PRCTL, BIND_JUDGED, {22, 2}, ASK}, /* SECCOMP_MODE_FILTER */

#include "expectations_sockets.h"

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
