/* What the supervisor waits for: epoll for pidfds, pipes and idle listeners; listeners in use are polled directly, for
 * epoll would defeat their synchronous wake-up (24 us a call instead of 5). */
#pragma once

#include "command.h"

void vt_poller_open(int wake_fd);
void vt_poller_add(int fd, struct vt_source *source);
void vt_poller_remove(int fd);

/* The command's listener had a call to answer: poll it directly from now on. */
void vt_poller_heat(struct vt_command *command);

/* Before a listener is closed. */
void vt_poller_forget(struct vt_command *command);

/* Waits at most `timeout` milliseconds (-1: for ever), then hands each source that is ready to `ready`. */
void vt_poller_wait(int timeout, void (*ready)(struct vt_source *source));
