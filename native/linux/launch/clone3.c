#define _GNU_SOURCE
#include "launch/clone3.h"

#include <errno.h>
#include <signal.h>
#include <stdint.h>

#include "base/kernel.h"

/* linux/sched.h (5.7: CLONE_ARGS_SIZE_VER2) */
#define INTO_CGROUP UINT64_C(0x200000000)

struct arguments {
  uint64_t flags, pidfd, child_tid, parent_tid, exit_signal, stack, stack_size, tls, set_tid, set_tid_size, cgroup;
};

/* The child has its own stack but the parent's registers: it must not return into the parent's C code. */
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

pid_t vt_clone3_into(const struct vt_clone3 *options) {
  const struct arguments arguments = {
      .flags = INTO_CGROUP | options->flags,
      .pidfd = (uintptr_t)options->pidfd,
      .exit_signal = SIGCHLD,
      .stack = (uintptr_t)options->stack,
      .stack_size = options->stack_size,
      .cgroup = (uint64_t)options->cgroup,
  };
  long pid = clone3(&arguments, options->run, options->context);
  if (pid >= 0) return (pid_t)pid;
  errno = (int)-pid;
  return -1;
}

/* E2BIG, EINVAL: an older kernel. EPERM: an older container runtime's filter, or the cgroup refuses: joining it then fails as well. */
bool vt_clone3_unsupported(int error) { return error == ENOSYS || error == E2BIG || error == EINVAL || error == EPERM; }
