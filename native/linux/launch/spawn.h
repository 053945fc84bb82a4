/* One process start: clone, the steps of the recipe in the child, exec. */
#pragma once

#include <linux/filter.h>

#include "base/command.h"
#include "confine/seccomp.h"

enum { VT_CHILD_STACK = 64 * 1024 };

/* What a child needs of its launcher's memory: one launch at a time in each. */
struct vt_launch_room {
  _Alignas(16) char stack[VT_CHILD_STACK];
  struct sock_filter filter[VT_FILTER_MAX];
};

/* What all launches share. Before each, and never by two threads at a time. */
void vt_spawn_prepare(void);

/* Starts the command; fills pid, pidfd, listener, or failed_step and failed_errno. Launcher threads only. */
void vt_spawn(struct vt_command *command, struct vt_launch_room *room);
