/* The descriptors that the supervisor waits for: pidfds, pipes, and the hang-up of listeners. */
#pragma once

#include "base/command.h"

/* 0, or -1 with errno: may be tried again. */
int vt_event_loop_open(int wake_fd);
void vt_event_loop_add(int fd, struct vt_source *source);
void vt_event_loop_add_room(int fd, struct vt_source *source);
void vt_event_loop_remove(int fd);

/* For a listener: its notifications belong to the notifiers. */
void vt_event_loop_add_hang_up(int fd, struct vt_source *source);

/* Waits at most `timeout` milliseconds; -1: no limit. */
void vt_event_loop_wait(int timeout, void (*ready)(struct vt_source *source));
