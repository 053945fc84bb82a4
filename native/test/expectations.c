#include "expectations.h"

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

bool scope_holds(enum scope scope, const struct vt_filter_options *options) {
  switch (scope) {
    case ALL: return true;
    case NET_OFF: return !options->network;
    case NET_ON: return options->network;
    case ABI_1_2: return options->abi <= 2;
    case ABI_1_5_JUDGED: return options->abi <= 5 && options->judge_signals;
    case ABI_1_5_REFUSED: return options->abi <= 5 && !options->judge_signals;
  }
  return false;
}

uint32_t expected_action(int expected) {
  if (expected == LET) return SECCOMP_RET_ALLOW;
  if (expected == ASK) return SECCOMP_RET_USER_NOTIF;
  return SECCOMP_RET_ERRNO | (uint32_t)expected;
}

const struct constant_row constant_rows[] = {
    /* files */
    {"openat2", 437, 437, ALL, ENOSYS},
    {"truncate", 76, 45, ABI_1_2, EROFS},
    {"io_uring_setup", 425, 425, ALL, ENOSYS},
    {"io_uring_enter", 426, 426, ALL, ENOSYS},
    {"io_uring_register", 427, 427, ALL, ENOSYS},
    {"memfd_secret", 447, 447, ALL, ENOSYS},

    /* metadata */
    {"chmod", 90, NONE, ALL, EROFS},
    {"fchmod", 91, 52, ALL, EROFS},
    {"chown", 92, NONE, ALL, EROFS},
    {"fchown", 93, 55, ALL, EROFS},
    {"lchown", 94, NONE, ALL, EROFS},
    {"utime", 132, NONE, ALL, EROFS},
    {"setxattr", 188, 5, ALL, EROFS},
    {"lsetxattr", 189, 6, ALL, EROFS},
    {"fsetxattr", 190, 7, ALL, EROFS},
    {"removexattr", 197, 14, ALL, EROFS},
    {"lremovexattr", 198, 15, ALL, EROFS},
    {"fremovexattr", 199, 16, ALL, EROFS},
    {"utimes", 235, NONE, ALL, EROFS},
    {"fchownat", 260, 54, ALL, EROFS},
    {"futimesat", 261, NONE, ALL, EROFS},
    {"fchmodat", 268, 53, ALL, EROFS},
    {"utimensat", 280, 88, ALL, EROFS},
    {"fchmodat2", 452, 452, ALL, EROFS},
    {"setxattrat", 463, 463, ALL, EROFS},
    {"removexattrat", 466, 466, ALL, EROFS},
    {"file_setattr", 469, 469, ALL, EROFS},

    /* sockets */
    {"connect", 42, 203, NET_OFF, EACCES},
    {"listen", 50, 201, ALL, EACCES},
    {"accept", 43, 202, ALL, EACCES},
    {"accept4", 288, 242, ALL, EACCES},

    /* processes */
    {"clone3", 435, 435, ALL, ENOSYS},
    {"setsid", 112, 157, ALL, DONE},
    {"ptrace", 101, 117, ALL, EPERM},
    {"migrate_pages", 256, 238, ALL, EPERM},
    {"move_pages", 279, 239, ALL, EPERM},
    {"process_vm_readv", 310, 270, ALL, EPERM},
    {"process_vm_writev", 311, 271, ALL, EPERM},
    {"kcmp", 312, 272, ALL, EPERM},
    {"pidfd_getfd", 438, 438, ALL, EPERM},
    {"process_madvise", 440, 440, ALL, EPERM},
    {"process_mrelease", 448, 448, ALL, EPERM},
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
    {"shmget", 29, 194, ALL, EPERM},
    {"shmat", 30, 196, ALL, EPERM},
    {"shmctl", 31, 195, ALL, EPERM},
    {"shmdt", 67, 197, ALL, EPERM},
    {"semget", 64, 190, ALL, EPERM},
    {"semop", 65, 193, ALL, EPERM},
    {"semctl", 66, 191, ALL, EPERM},
    {"semtimedop", 220, 192, ALL, EPERM},
    {"msgget", 68, 186, ALL, EPERM},
    {"msgsnd", 69, 189, ALL, EPERM},
    {"msgrcv", 70, 188, ALL, EPERM},
    {"msgctl", 71, 187, ALL, EPERM},
    {"mq_open", 240, 180, ALL, EPERM},
    {"mq_unlink", 241, 181, ALL, EPERM},
    {"mq_timedsend", 242, 182, ALL, EPERM},
    {"mq_timedreceive", 243, 183, ALL, EPERM},
    {"mq_notify", 244, 184, ALL, EPERM},
    {"add_key", 248, 217, ALL, EPERM},
    {"request_key", 249, 218, ALL, EPERM},
    {"keyctl", 250, 219, ALL, EPERM},

    /* namespaces, mounts, handles */
    {"setns", 308, 268, ALL, EPERM},
    {"mount", 165, 40, ALL, EPERM},
    {"umount2", 166, 39, ALL, EPERM},
    {"pivot_root", 155, 41, ALL, EPERM},
    {"chroot", 161, 51, ALL, EPERM},
    {"open_by_handle_at", 304, 265, ALL, EPERM},
    {"open_tree", 428, 428, ALL, EPERM},
    {"move_mount", 429, 429, ALL, EPERM},
    {"fsopen", 430, 430, ALL, EPERM},
    {"fsconfig", 431, 431, ALL, EPERM},
    {"fsmount", 432, 432, ALL, EPERM},
    {"fspick", 433, 433, ALL, EPERM},
    {"mount_setattr", 442, 442, ALL, EPERM},
    {"open_tree_attr", 467, 467, ALL, EPERM},

    /* the system */
    {"reboot", 169, 142, ALL, EPERM},
    {"kexec_load", 246, 104, ALL, EPERM},
    {"kexec_file_load", 320, 294, ALL, EPERM},
    {"init_module", 175, 105, ALL, EPERM},
    {"finit_module", 313, 273, ALL, EPERM},
    {"delete_module", 176, 106, ALL, EPERM},
    {"swapon", 167, 224, ALL, EPERM},
    {"swapoff", 168, 225, ALL, EPERM},
    {"settimeofday", 164, 170, ALL, EPERM},
    {"clock_settime", 227, 112, ALL, EPERM},
    {"adjtimex", 159, 171, ALL, EPERM},
    {"clock_adjtime", 305, 266, ALL, EPERM},
    {"sethostname", 170, 161, ALL, EPERM},
    {"setdomainname", 171, 162, ALL, EPERM},
    {"acct", 163, 89, ALL, EPERM},
    {"quotactl", 179, 60, ALL, EPERM},
    {"quotactl_fd", 443, 443, ALL, EPERM},
    {"vhangup", 153, 58, ALL, EPERM},
    {"bpf", 321, 280, ALL, EPERM},
    {"perf_event_open", 298, 241, ALL, EPERM},
    {"userfaultfd", 323, 282, ALL, EPERM},
    {"fanotify_init", 300, 262, ALL, EPERM},
    {"fanotify_mark", 301, 263, ALL, EPERM},
    {"lookup_dcookie", 212, 18, ALL, EPERM},
    {"nfsservctl", 180, 42, ALL, EPERM},
    {"lsm_set_self_attr", 460, 460, ALL, EPERM},

    /* x86 alone */
    {"uselib", 134, NONE, ALL, EPERM},
    {"ustat", 136, NONE, ALL, EPERM},
    {"sysfs", 139, NONE, ALL, EPERM},
    {"modify_ldt", 154, NONE, ALL, EPERM},
    {"_sysctl", 156, NONE, ALL, EPERM},
    {"iopl", 172, NONE, ALL, EPERM},
    {"ioperm", 173, NONE, ALL, EPERM},
    {"create_module", 174, NONE, ALL, EPERM},
    {"get_kernel_syms", 177, NONE, ALL, EPERM},
    {"query_module", 178, NONE, ALL, EPERM},
    {"getpmsg", 181, NONE, ALL, EPERM},
    {"putpmsg", 182, NONE, ALL, EPERM},
    {"afs_syscall", 183, NONE, ALL, EPERM},
    {"tuxcall", 184, NONE, ALL, EPERM},
    {"security", 185, NONE, ALL, EPERM},
    {"set_thread_area", 205, NONE, ALL, EPERM},
    {"get_thread_area", 211, NONE, ALL, EPERM},
    {"epoll_ctl_old", 214, NONE, ALL, EPERM},
    {"epoll_wait_old", 215, NONE, ALL, EPERM},
    {"vserver", 236, NONE, ALL, EPERM},
};
const size_t constant_row_count = COUNT(constant_rows);
