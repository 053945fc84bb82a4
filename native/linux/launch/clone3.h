/* clone3(2), which has no libc wrapper: creates a child directly in a cgroup (CLONE_INTO_CGROUP, Linux 5.7). */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct vt_clone3 {
  void *stack;
  size_t stack_size;
  unsigned flags; /* CLONE_*, without an exit signal: that is SIGCHLD */
  int cgroup;
  int (*run)(void *context); /* must not return */
  void *context;
  int *pidfd;
};

pid_t vt_clone3_into(const struct vt_clone3 *options);

bool vt_clone3_unsupported(int error);
