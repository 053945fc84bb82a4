#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/files.h"
#include "base/kernel.h"
#include "confine/confinement.h"
#include "launch/launch.h"

/* linux/sched.h (5.7: CLONE_ARGS_SIZE_VER2) */
#define INTO_CGROUP UINT64_C(0x200000000)

struct arguments {
  uint64_t flags, pidfd, child_tid, parent_tid, exit_signal, stack, stack_size, tls, set_tid, set_tid_size, cgroup;
};

/* clone3(2), which has no libc wrapper: creates a child directly in a cgroup (CLONE_INTO_CGROUP, Linux 5.7). It has its own
 * stack but the parent's registers: it must not return into the parent's C code. */
static long clone3(const struct arguments *arguments, int (*run)(void *), void *context) {
#if defined(__x86_64__)
  long result;
  register int (*r8)(void *) __asm__("r8") = run;
  register void *r9 __asm__("r9") = context;
  __asm__ volatile("syscall\n"
                   "test %%rax, %%rax\n"
                   "jnz 1f\n"
                   "xor %%ebp, %%ebp\n"
                   "mov %%r9, %%rdi\n"
                   "call *%%r8\n"
                   "ud2\n"
                   "1:"
                   : "=a"(result)
                   : "a"((long)NR_CLONE3), "D"(arguments), "S"(sizeof *arguments), "r"(r8), "r"(r9)
                   : "rcx", "r11", "memory");
  return result;
#elif defined(__aarch64__)
  register long x8 __asm__("x8") = NR_CLONE3, x0 __asm__("x0") = (long)arguments, x1 __asm__("x1") = sizeof *arguments;
  register int (*x2)(void *) __asm__("x2") = run;
  register void *x3 __asm__("x3") = context;
  __asm__ volatile("svc 0\n"
                   "cbnz x0, 1f\n"
                   "mov x29, #0\n"
                   "mov x0, x3\n"
                   "blr x2\n"
                   "brk #0\n"
                   "1:"
                   : "+r"(x0)
                   : "r"(x8), "r"(x1), "r"(x2), "r"(x3)
                   : "memory");
  return x0;
#else
  (void)arguments, (void)run, (void)context;
  return -ENOSYS;
#endif
}

static pid_t clone_into_cgroup(struct vt_command *command, int flags) {
  const struct arguments arguments = {
      .flags = INTO_CGROUP | (unsigned)flags,
      .pidfd = (uintptr_t)&command->pidfd,
      .exit_signal = SIGCHLD,
      .stack = (uintptr_t)command->room->stack,
      .stack_size = VT_CHILD_STACK,
      .cgroup = (uint64_t)command->cgroup_fd,
  };
  long pid = clone3(&arguments, vt_child, command);
  if (pid >= 0) return (pid_t)pid;
  errno = (int)-pid;
  return -1;
}

/* E2BIG, EINVAL: an older kernel. EPERM: an older container runtime's filter, or the cgroup refuses: joining it then fails as well. */
static bool is_unsupported(int error) { return error == ENOSYS || error == E2BIG || error == EINVAL || error == EPERM; }

static void reap_failed(struct vt_command *command) {
  siginfo_t info;
  while (waitid(P_PID, (id_t)command->pid, &info, WEXITED) != 0 && errno == EINTR) continue;
  if (command->pidfd >= 0) close(command->pidfd);
  if (command->listener_fd >= 0) close(command->listener_fd);
  command->pidfd = command->listener_fd = -1;
}

/* If the kernel cannot create the child in its cgroup, the child joins it before exec. */
static pid_t start(struct vt_command *command) {
  int flags = CLONE_VM | CLONE_VFORK | RETURN_PIDFD | (command->confinement ? CLONE_FILES : 0);
  command->cgroup_door = -1;
  if (command->cgroup[0]) {
    pid_t pid = clone_into_cgroup(command, flags);
    if (pid >= 0 || !is_unsupported(errno)) return pid;
    command->cgroup_door = vt_cgroup_open_door(command->cgroup_fd);
    if (command->cgroup_door < 0) return -1;
  }
  pid_t pid = clone(vt_child, command->room->stack + VT_CHILD_STACK, flags | SIGCHLD, command, &command->pidfd);
  if (command->cgroup_door >= 0) vt_close(command->cgroup_door);
  return pid;
}

/* The child was killed. Without a listener the sweep would wait for ever for a proof that it is empty. */
static bool ended_before_filter(const struct vt_command *command) {
  bool listens = command->confinement && command->confinement->listener;
  return listens && command->listener_fd < 0 && !command->failed_step;
}

void vt_spawn(struct vt_command *command, struct vt_launch_room *room) {
  command->room = room;
  command->host = getpid();
  command->pid = start(command);
  if (command->pid < 0) {
    command->failed_step = "clone";
    command->failed_errno = errno;
    return;
  }
  if (ended_before_filter(command)) {
    command->failed_step = "seccomp";
    command->failed_errno = ECHILD;
  }
  if (command->failed_step) reap_failed(command);
}
