/* What the supervisor waits for: pidfds, pipes, and listeners that are not in use. */
#pragma once

#include "command.h"

void vt_poller_open(int wake_fd);
void vt_poller_add(int fd, struct vt_source *source);
void vt_poller_remove(int fd);

/* Whether the supervisor wants to hear of calls at a listener that was added; of its hang-up it always does. Any thread. */
void vt_poller_listen(int fd, struct vt_source *source, bool to_calls);

/* Waits at most `timeout` milliseconds (-1: for ever), then hands each source that is ready to `ready`. */
void vt_poller_wait(int timeout, void (*ready)(struct vt_source *source));
