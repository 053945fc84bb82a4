/* clone3(2), which libc has no wrapper for: starts a child in a cgroup, with no moment at which it stands elsewhere. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct vt_clone3 {
  void *stack;
  size_t stack_size;
  unsigned flags; /* those of clone(2), without a signal: the child's end is told by SIGCHLD */
  int cgroup;     /* a descriptor of its directory */
  int (*run)(void *context); /* does not return */
  void *context;
  int *pidfd;
};

/* The child's process id; -1 with errno. */
pid_t vt_clone3_into(const struct vt_clone3 *options);

/* Whether this error of it means that the kernel, or a filter around us, has no such call: CLONE_INTO_CGROUP came with 5.7. */
bool vt_clone3_unsupported(int error);
