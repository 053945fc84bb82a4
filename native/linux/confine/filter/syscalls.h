/* The system call numbers that the filter and the reports use, per architecture. */
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The last reviewed call: fchroot of Linux 7.3-rc7 (arch/x86/entry/syscalls/syscall_64.tbl, scripts/syscall.tbl). Newer ones
 * get ENOSYS. Raise it only with a review of every call in between. */
#define VT_LAST_REVIEWED_SYSCALL 472

/* "This architecture has no such call". */
#define VT_NO_SYSCALL (-1)

/* X(name, on x86_64, on aarch64): asm/unistd_64.h, asm-generic/unistd.h. Installed headers may be older than the kernel. */
#define VT_SYSCALLS(X) \
  X(open, 2, -1) \
  X(openat, 257, 56) \
  X(openat2, 437, 437) \
  X(truncate, 76, 45) \
  X(creat, 85, -1) \
  X(unlink, 87, -1) \
  X(unlinkat, 263, 35) \
  X(rmdir, 84, -1) \
  X(rename, 82, -1) \
  X(renameat, 264, 38) \
  X(renameat2, 316, 276) \
  X(link, 86, -1) \
  X(linkat, 265, 37) \
  X(symlink, 88, -1) \
  X(symlinkat, 266, 36) \
  X(mkdir, 83, -1) \
  X(mkdirat, 258, 34) \
  X(mknod, 133, -1) \
  X(mknodat, 259, 33) \
  X(ioctl, 16, 29) \
  X(fcntl, 72, 25) \
  X(flock, 73, 32) \
  X(io_uring_setup, 425, 425) \
  X(io_uring_enter, 426, 426) \
  X(io_uring_register, 427, 427) \
  X(io_setup, 206, 0) \
  X(memfd_secret, 447, 447) \
  X(chmod, 90, -1) \
  X(fchmod, 91, 52) \
  X(fchmodat, 268, 53) \
  X(fchmodat2, 452, 452) \
  X(chown, 92, -1) \
  X(fchown, 93, 55) \
  X(lchown, 94, -1) \
  X(fchownat, 260, 54) \
  X(utime, 132, -1) \
  X(utimes, 235, -1) \
  X(futimesat, 261, -1) \
  X(utimensat, 280, 88) \
  X(setxattr, 188, 5) \
  X(lsetxattr, 189, 6) \
  X(fsetxattr, 190, 7) \
  X(removexattr, 197, 14) \
  X(lremovexattr, 198, 15) \
  X(fremovexattr, 199, 16) \
  X(setxattrat, 463, 463) \
  X(removexattrat, 466, 466) \
  X(file_setattr, 469, 469) \
  X(socket, 41, 198) \
  X(socketpair, 53, 199) \
  X(bind, 49, 200) \
  X(getsockopt, 55, 209) \
  X(setsockopt, 54, 208) \
  X(connect, 42, 203) \
  X(listen, 50, 201) \
  X(accept, 43, 202) \
  X(accept4, 288, 242) \
  X(sendto, 44, 206) \
  X(sendmsg, 46, 211) \
  X(sendmmsg, 307, 269) \
  X(clone, 56, 220) \
  X(clone3, 435, 435) \
  X(unshare, 272, 97) \
  X(setsid, 112, 157) \
  X(umask, 95, 166) \
  X(kill, 62, 129) \
  X(tkill, 200, 130) \
  X(tgkill, 234, 131) \
  X(rt_sigqueueinfo, 129, 138) \
  X(rt_tgsigqueueinfo, 297, 240) \
  X(pidfd_send_signal, 424, 424) \
  X(setrlimit, 160, 164) \
  X(prlimit64, 302, 261) \
  X(setpriority, 141, 140) \
  X(ioprio_set, 251, 30) \
  X(sched_setparam, 142, 118) \
  X(sched_setscheduler, 144, 119) \
  X(sched_setaffinity, 203, 122) \
  X(sched_setattr, 314, 274) \
  X(ptrace, 101, 117) \
  X(process_vm_readv, 310, 270) \
  X(process_vm_writev, 311, 271) \
  X(pidfd_getfd, 438, 438) \
  X(kcmp, 312, 272) \
  X(process_madvise, 440, 440) \
  X(process_mrelease, 448, 448) \
  X(migrate_pages, 256, 238) \
  X(move_pages, 279, 239) \
  X(mbind, 237, 235) \
  X(set_mempolicy_home_node, 450, 450) \
  X(futex, 202, 98) \
  X(futex_requeue, 456, 456) \
  X(seccomp, 317, 277) \
  X(prctl, 157, 167) \
  X(capset, 126, 91) \
  X(landlock_restrict_self, 446, 446) \
  X(shmget, 29, 194) \
  X(shmat, 30, 196) \
  X(shmctl, 31, 195) \
  X(shmdt, 67, 197) \
  X(semget, 64, 190) \
  X(semop, 65, 193) \
  X(semctl, 66, 191) \
  X(semtimedop, 220, 192) \
  X(msgget, 68, 186) \
  X(msgsnd, 69, 189) \
  X(msgrcv, 70, 188) \
  X(msgctl, 71, 187) \
  X(mq_open, 240, 180) \
  X(mq_unlink, 241, 181) \
  X(mq_timedsend, 242, 182) \
  X(mq_timedreceive, 243, 183) \
  X(mq_notify, 244, 184) \
  X(add_key, 248, 217) \
  X(request_key, 249, 218) \
  X(keyctl, 250, 219) \
  X(setns, 308, 268) \
  X(mount, 165, 40) \
  X(umount2, 166, 39) \
  X(pivot_root, 155, 41) \
  X(chroot, 161, 51) \
  X(fchroot, 472, 472) \
  X(open_tree, 428, 428) \
  X(open_tree_attr, 467, 467) \
  X(move_mount, 429, 429) \
  X(fsopen, 430, 430) \
  X(fsconfig, 431, 431) \
  X(fsmount, 432, 432) \
  X(fspick, 433, 433) \
  X(mount_setattr, 442, 442) \
  X(open_by_handle_at, 304, 265) \
  X(reboot, 169, 142) \
  X(kexec_load, 246, 104) \
  X(kexec_file_load, 320, 294) \
  X(init_module, 175, 105) \
  X(finit_module, 313, 273) \
  X(delete_module, 176, 106) \
  X(swapon, 167, 224) \
  X(swapoff, 168, 225) \
  X(settimeofday, 164, 170) \
  X(clock_settime, 227, 112) \
  X(adjtimex, 159, 171) \
  X(clock_adjtime, 305, 266) \
  X(sethostname, 170, 161) \
  X(setdomainname, 171, 162) \
  X(acct, 163, 89) \
  X(quotactl, 179, 60) \
  X(quotactl_fd, 443, 443) \
  X(vhangup, 153, 58) \
  X(bpf, 321, 280) \
  X(perf_event_open, 298, 241) \
  X(userfaultfd, 323, 282) \
  X(fanotify_init, 300, 262) \
  X(fanotify_mark, 301, 263) \
  X(lookup_dcookie, 212, 18) \
  X(lsm_set_self_attr, 460, 460) \
  X(syslog, 103, 116) \
  X(iopl, 172, -1) \
  X(ioperm, 173, -1) \
  X(modify_ldt, 154, -1)

#define VT_SYSCALL_ENUMERATOR(name, x86_64, aarch64) VT_SYS_##name,
enum vt_syscall { VT_SYSCALLS(VT_SYSCALL_ENUMERATOR) VT_SYSCALL_COUNT };

/* The call's number on an AUDIT_ARCH_* (linux/audit.h); VT_NO_SYSCALL if that lacks it or is not supported. */
int vt_syscall_number(enum vt_syscall call, uint32_t arch);

/* The call with this number, or VT_SYSCALL_COUNT; and a call's name, as in syscalls(2). */
enum vt_syscall vt_syscall_by_number(int number, uint32_t arch);
const char *vt_syscall_name(enum vt_syscall call);

#ifdef __cplusplus
}
#endif
