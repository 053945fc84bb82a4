/* Epoll watches: each user has /proc/sys/fs/epoll/max_user_watches (epoll(7)); libuv aborts the host without one, and no
 * rlimit bounds them. Supervisor thread only. */
#pragma once

#include "base/command.h"

/* If none are left, kills the confined commands that hold epoll sets. */
void vt_watches_look(struct vt_command *commands);

/* Milliseconds; -1: never. */
int vt_watches_due_in(const struct vt_command *commands);
