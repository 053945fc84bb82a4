#include "expectations.h"

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

/* As seccomp.c has it: the notifier connects, so there must be one. */
static bool is_proxied(const struct vt_filter_options *options) { return options->proxied && options->judge && !options->network; }

static bool is_own(const struct vt_filter_options *options) { return options->own_sockets && options->judge; }

bool scope_holds(enum scope scope, const struct vt_filter_options *options) {
  switch (scope) {
    case ALL: return true;
    case NET_OFF: return !options->network && !is_proxied(options) && !is_own(options);
    case PROXY_ON: return is_proxied(options);
    case NET_ON: return options->network;
    case PROXY_WITHOUT_OWN: return is_proxied(options) && !is_own(options);
    case ALL_SHUT: return !options->network && !is_proxied(options) && !is_own(options);
    case BIND_JUDGED: return options->judge;
    case BIND_UNJUDGED: return !options->judge;
    case BIND_JUDGED_NET_OFF: return options->judge && !options->network && !is_proxied(options) && !is_own(options);
    case BIND_JUDGED_NET_ON: return options->judge && options->network;
    case NO_TERMINAL: return !options->terminal && !is_own(options);
    case OWN_TTY: return options->terminal || is_own(options);
    case TRUNCATE_SHUT: return options->abi <= 2 || options->unwritable;
    case TRUNCATE_SEEN: return options->abi >= 3 && !options->unwritable;
    case NOTHING_WRITABLE: return options->unwritable;
    case SOMETHING_WRITABLE: return !options->unwritable;
    case ABI_6_UP: return options->abi >= 6;
    case ABI_1_5_JUDGED: return options->abi <= 5 && options->judge;
    case ABI_1_5_REFUSED: return options->abi <= 5 && !options->judge;
    case NOT_OWN: return !is_own(options);
    case OWN_ON: return is_own(options);
    case OWN_NET_OFF: return is_own(options) && !options->network;
    case OWN_NET_ON: return is_own(options) && options->network;
    case OWN_SESSIONS: return is_own(options) && options->sessions;
    case NO_SESSIONS: return !is_own(options) || !options->sessions;
    case PRETENDED_SESSIONS: return is_own(options) && !options->sessions;
    case CONNECTS_ASKED: return is_own(options) || is_proxied(options);
    case IN_WORKSPACE: return options->workspace;
  }
  return false;
}

uint32_t expected_action(int expected, const struct vt_filter_options *options) {
  bool reported = expected == SEE || (expected > 0 && (expected & REPORTED));
  if (expected == ASK || (reported && options->report)) return SECCOMP_RET_USER_NOTIF;
  if (expected == LET || expected == SEE) return SECCOMP_RET_ALLOW;
  return SECCOMP_RET_ERRNO | (uint32_t)(expected & ~REPORTED);
}

const struct constant_row constant_rows[] = {
    /* files */
    {"openat2", 437, 437, ALL, ENOSYS},
    {"truncate", 76, 45, TRUNCATE_SHUT, TELL(EROFS)},
    {"truncate", 76, 45, TRUNCATE_SEEN, SEE},
    {"creat", 85, NONE, NOTHING_WRITABLE, SEE},
    {"unlink", 87, NONE, ALL, SEE},
    {"unlinkat", 263, 35, ALL, SEE},
    {"rmdir", 84, NONE, ALL, SEE},
    {"rename", 82, NONE, ALL, SEE},
    {"renameat", 264, 38, ALL, SEE},
    {"renameat2", 316, 276, ALL, SEE},
    {"link", 86, NONE, ALL, SEE},
    {"linkat", 265, 37, ALL, SEE},
    {"symlink", 88, NONE, ALL, SEE},
    {"symlinkat", 266, 36, ALL, SEE},
    {"mkdir", 83, NONE, ALL, SEE},
    {"mkdirat", 258, 34, ALL, SEE},
    {"mknod", 133, NONE, NOTHING_WRITABLE, SEE},
    {"mknodat", 259, 33, NOTHING_WRITABLE, SEE},
    {"io_uring_setup", 425, 425, ALL, ENOSYS},
    {"io_uring_enter", 426, 426, ALL, ENOSYS},
    {"io_uring_register", 427, 427, ALL, ENOSYS},
    {"io_setup", 206, 0, ALL, ENOSYS},
    {"memfd_secret", 447, 447, ALL, ENOSYS},

    /* metadata */
    {"chmod", 90, NONE, ALL, TELL(EROFS)},
    {"fchmod", 91, 52, ALL, TELL(EROFS)},
    {"chown", 92, NONE, ALL, TELL(EROFS)},
    {"fchown", 93, 55, ALL, TELL(EROFS)},
    {"lchown", 94, NONE, ALL, TELL(EROFS)},
    {"utime", 132, NONE, ALL, TELL(EROFS)},
    {"setxattr", 188, 5, ALL, TELL(EROFS)},
    {"lsetxattr", 189, 6, ALL, TELL(EROFS)},
    {"fsetxattr", 190, 7, ALL, TELL(EROFS)},
    {"removexattr", 197, 14, ALL, TELL(EROFS)},
    {"lremovexattr", 198, 15, ALL, TELL(EROFS)},
    {"fremovexattr", 199, 16, ALL, TELL(EROFS)},
    {"utimes", 235, NONE, ALL, TELL(EROFS)},
    {"fchownat", 260, 54, ALL, TELL(EROFS)},
    {"futimesat", 261, NONE, ALL, TELL(EROFS)},
    {"fchmodat", 268, 53, ALL, TELL(EROFS)},
    {"utimensat", 280, 88, ALL, TELL(EROFS)},
    {"fchmodat2", 452, 452, ALL, TELL(EROFS)},
    {"setxattrat", 463, 463, ALL, TELL(EROFS)},
    {"removexattrat", 466, 466, ALL, TELL(EROFS)},
    {"file_setattr", 469, 469, ALL, TELL(EROFS)},

    /* sockets */
    {"connect", 42, 203, ALL_SHUT, TELL(EACCES)},
    {"connect", 42, 203, PROXY_ON, ASK},
    {"connect", 42, 203, OWN_ON, ASK},
    {"listen", 50, 201, NOT_OWN, TELL(EACCES)},
    {"listen", 50, 201, OWN_ON, ASK},
    {"accept", 43, 202, NOT_OWN, TELL(EACCES)},
    {"accept", 43, 202, OWN_ON, LET},
    {"accept4", 288, 242, NOT_OWN, TELL(EACCES)},
    {"accept4", 288, 242, OWN_ON, LET},

    /* processes */
    {"clone3", 435, 435, ALL, ENOSYS},
    {"setsid", 112, 157, NO_SESSIONS, DONE},
    {"setsid", 112, 157, OWN_SESSIONS, LET},
    {"umask", 95, 166, IN_WORKSPACE, ASK},
    {"capset", 126, 91, IN_WORKSPACE, ASK},
    {"landlock_restrict_self", 446, 446, BIND_JUDGED, ASK},
    {"ptrace", 101, 117, ALL, TELL(EPERM)},
    {"migrate_pages", 256, 238, ALL, TELL(EPERM)},
    {"move_pages", 279, 239, ALL, TELL(EPERM)},
    {"mbind", 237, 235, ALL, ENOSYS},
    {"set_mempolicy_home_node", 450, 450, ALL, ENOSYS},
    {"process_vm_readv", 310, 270, ALL, TELL(EPERM)},
    {"process_vm_writev", 311, 271, ALL, TELL(EPERM)},
    {"kcmp", 312, 272, ALL, TELL(EPERM)},
    {"pidfd_getfd", 438, 438, ALL, TELL(EPERM)},
    {"process_madvise", 440, 440, ALL, TELL(EPERM)},
    {"process_mrelease", 448, 448, ALL, TELL(EPERM)},
    {"futex_requeue", 456, 456, ALL, ENOSYS},
    {"kill", 62, 129, ABI_1_5_JUDGED, ASK},
    {"kill", 62, 129, ABI_1_5_REFUSED, EPERM},
    {"tkill", 200, 130, ABI_1_5_JUDGED, ASK},
    {"tkill", 200, 130, ABI_1_5_REFUSED, EPERM},
    {"tgkill", 234, 131, ABI_1_5_JUDGED, ASK},
    {"tgkill", 234, 131, ABI_1_5_REFUSED, EPERM},
    {"rt_sigqueueinfo", 129, 138, ABI_1_5_JUDGED, ASK},
    {"rt_sigqueueinfo", 129, 138, ABI_1_5_REFUSED, EPERM},
    {"rt_tgsigqueueinfo", 297, 240, ABI_1_5_JUDGED, ASK},
    {"rt_tgsigqueueinfo", 297, 240, ABI_1_5_REFUSED, EPERM},
    {"pidfd_send_signal", 424, 424, ABI_1_5_JUDGED, ASK},
    {"pidfd_send_signal", 424, 424, ABI_1_5_REFUSED, EPERM},

    /* IPC and keys */
    {"shmget", 29, 194, NOT_OWN, TELL(EPERM)},
    {"shmget", 29, 194, OWN_ON, ASK},
    {"shmat", 30, 196, NOT_OWN, TELL(EPERM)},
    {"shmat", 30, 196, OWN_ON, ASK},
    {"shmctl", 31, 195, NOT_OWN, TELL(EPERM)},
    {"shmctl", 31, 195, OWN_ON, ASK},
    {"shmdt", 67, 197, NOT_OWN, TELL(EPERM)},
    {"shmdt", 67, 197, OWN_ON, LET},
    {"semget", 64, 190, ALL, TELL(EPERM)},
    {"semop", 65, 193, ALL, TELL(EPERM)},
    {"semctl", 66, 191, ALL, TELL(EPERM)},
    {"semtimedop", 220, 192, ALL, TELL(EPERM)},
    {"msgget", 68, 186, ALL, TELL(EPERM)},
    {"msgsnd", 69, 189, ALL, TELL(EPERM)},
    {"msgrcv", 70, 188, ALL, TELL(EPERM)},
    {"msgctl", 71, 187, ALL, TELL(EPERM)},
    {"mq_open", 240, 180, ALL, TELL(EPERM)},
    {"mq_unlink", 241, 181, ALL, TELL(EPERM)},
    {"mq_timedsend", 242, 182, ALL, TELL(EPERM)},
    {"mq_timedreceive", 243, 183, ALL, TELL(EPERM)},
    {"mq_notify", 244, 184, ALL, TELL(EPERM)},
    {"add_key", 248, 217, ALL, TELL(EPERM)},
    {"request_key", 249, 218, ALL, TELL(EPERM)},
    {"keyctl", 250, 219, ALL, TELL(EPERM)},

    /* namespaces, mounts, handles */
    {"setns", 308, 268, ALL, TELL(EPERM)},
    {"mount", 165, 40, ALL, TELL(EPERM)},
    {"umount2", 166, 39, ALL, TELL(EPERM)},
    {"pivot_root", 155, 41, ALL, TELL(EPERM)},
    {"chroot", 161, 51, ALL, TELL(EPERM)},
    {"fchroot", 472, 472, ALL, TELL(EPERM)},
    {"open_by_handle_at", 304, 265, ALL, TELL(EPERM)},
    {"open_tree", 428, 428, ALL, TELL(EPERM)},
    {"move_mount", 429, 429, ALL, TELL(EPERM)},
    {"fsopen", 430, 430, ALL, TELL(EPERM)},
    {"fsconfig", 431, 431, ALL, TELL(EPERM)},
    {"fsmount", 432, 432, ALL, TELL(EPERM)},
    {"fspick", 433, 433, ALL, TELL(EPERM)},
    {"mount_setattr", 442, 442, ALL, TELL(EPERM)},
    {"open_tree_attr", 467, 467, ALL, TELL(EPERM)},

    /* the system */
    {"reboot", 169, 142, ALL, TELL(EPERM)},
    {"kexec_load", 246, 104, ALL, TELL(EPERM)},
    {"kexec_file_load", 320, 294, ALL, TELL(EPERM)},
    {"init_module", 175, 105, ALL, TELL(EPERM)},
    {"finit_module", 313, 273, ALL, TELL(EPERM)},
    {"delete_module", 176, 106, ALL, TELL(EPERM)},
    {"swapon", 167, 224, ALL, TELL(EPERM)},
    {"swapoff", 168, 225, ALL, TELL(EPERM)},
    {"settimeofday", 164, 170, ALL, TELL(EPERM)},
    {"clock_settime", 227, 112, ALL, TELL(EPERM)},
    {"adjtimex", 159, 171, ALL, TELL(EPERM)},
    {"clock_adjtime", 305, 266, ALL, TELL(EPERM)},
    {"sethostname", 170, 161, ALL, TELL(EPERM)},
    {"setdomainname", 171, 162, ALL, TELL(EPERM)},
    {"acct", 163, 89, ALL, TELL(EPERM)},
    {"quotactl", 179, 60, ALL, TELL(EPERM)},
    {"quotactl_fd", 443, 443, ALL, TELL(EPERM)},
    {"vhangup", 153, 58, ALL, TELL(EPERM)},
    {"bpf", 321, 280, ALL, TELL(EPERM)},
    {"perf_event_open", 298, 241, ALL, TELL(EPERM)},
    {"userfaultfd", 323, 282, ALL, TELL(EPERM)},
    {"fanotify_init", 300, 262, ALL, TELL(EPERM)},
    {"fanotify_mark", 301, 263, ALL, TELL(EPERM)},
    {"lookup_dcookie", 212, 18, ALL, TELL(EPERM)},
    {"lsm_set_self_attr", 460, 460, ALL, TELL(EPERM)},

    /* x86 alone */
    {"modify_ldt", 154, NONE, ALL, TELL(EPERM)},
    {"iopl", 172, NONE, ALL, TELL(EPERM)},
    {"ioperm", 173, NONE, ALL, TELL(EPERM)},
};
const size_t constant_row_count = COUNT(constant_rows);
