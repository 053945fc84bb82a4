/* Starts one process: clone, the steps in the child, exec. */
#pragma once

#include <linux/filter.h>

#include "base/command.h"
#include "confine/filter/seccomp.h"

enum { VT_CHILD_STACK = 64 * 1024 };

struct vt_launch_room {
  _Alignas(16) char stack[VT_CHILD_STACK];
  struct sock_filter filter[VT_FILTER_MAX];
};

/* Prepares what all launches share. Call before each one, never from two threads at once. */
void vt_spawn_prepare(void);

/* Sets pid, pidfd and listener_fd, or failed_step and failed_errno. Launcher threads only. */
void vt_spawn(struct vt_command *command, struct vt_launch_room *room);
