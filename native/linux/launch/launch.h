/* Starts processes: launcher threads, clone, the steps in the child, exec. */
#pragma once

#include <linux/filter.h>

#include "base/command.h"
#include "confine/filter/seccomp.h"

int vt_launcher_ready(void);

/* The supervisor is told when it has started or failed. */
void vt_launcher_queue(struct vt_command *command);

enum { VT_CHILD_STACK = 64 * 1024 };

struct vt_launch_room {
  _Alignas(16) char stack[VT_CHILD_STACK];
  struct sock_filter filter[VT_FILTER_MAX];
};

/* In the child: the steps of the launch, up to exec. Shares the memory of the suspended launcher thread (CLONE_VM | CLONE_VFORK,
 * clone(2)): no allocation, no lock, no libc state but errno. If confined it also shares the descriptor table until it unshares it:
 * its filter's listener gets into the parent's table that way. */
int vt_child(void *command);
