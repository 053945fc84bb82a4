/* The descriptors that the supervisor waits for: pidfds, pipes, and the hang-up of listeners. */
#pragma once

#include "base/command.h"

/* May be called again after a failure. 0, or -1 with errno. */
int vt_event_loop_open(int wake_fd);
void vt_event_loop_add(int fd, struct vt_source *source);
void vt_event_loop_add_room(int fd, struct vt_source *source);
void vt_event_loop_remove(int fd);

/* Reports the hang-up only: a listener's notifications belong to the notifier threads. */
void vt_event_loop_add_hang_up(int fd, struct vt_source *source);

/* Waits at most `timeout` milliseconds (-1: no limit), then calls `ready` for each ready source. */
void vt_event_loop_wait(int timeout, void (*ready)(struct vt_source *source));

/* Makes vt_event_loop_wait() return at `time` (monotonic milliseconds), or earlier: only the earliest time counts. */
void vt_event_loop_wake_at(int64_t time);

/* Makes vt_event_loop_wait() return after that many milliseconds, even if it already waits. Any thread. */
void vt_event_loop_alarm(int milliseconds);
