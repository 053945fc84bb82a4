/* What the supervisor waits for: pidfds, pipes, and the hang-up of listeners. */
#pragma once

#include "base/command.h"

/* 0, or -1 with errno: then it may be tried again. */
int vt_event_loop_open(int wake_fd);
void vt_event_loop_add(int fd, struct vt_source *source);
void vt_event_loop_add_room(int fd, struct vt_source *source); /* it can be written to */
void vt_event_loop_remove(int fd);

/* For the hang-up alone: that of a listener, whose calls are for the notifiers. */
void vt_event_loop_add_hang_up(int fd, struct vt_source *source);

/* Waits at most `timeout` milliseconds (-1: for ever), then hands each source that is ready to `ready`. */
void vt_event_loop_wait(int timeout, void (*ready)(struct vt_source *source));

/* Lets vt_event_loop_wait() come back at that time, in monotonic milliseconds. Only the soonest counts, and it may come back without
 * need: a timer that is set stays, for most are for what ends long before. */
void vt_event_loop_wake_at(int64_t time);

/* Lets vt_event_loop_wait() come back in so many milliseconds, even if it is waiting already. Any thread. */
void vt_event_loop_alarm(int milliseconds);
