/* Keeps this thread and a caller that waits for it on one processor, where waking each other is cheap. */
#pragma once

#include <sched.h>
#include <stdbool.h>
#include <sys/types.h>

struct vt_held_processor {
  pid_t thread;
  cpu_set_t of_thread, own; /* the masks to restore */
};

/* False: nothing has changed. */
bool vt_processor_hold(pid_t thread, struct vt_held_processor *held);

void vt_processor_release(const struct vt_held_processor *held);
