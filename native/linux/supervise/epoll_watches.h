/*
 * Epoll watches: a user has /proc/sys/fs/epoll/max_user_watches of them (epoll(7)), and libuv aborts the host where it gets none. No limit
 * of a process bounds them. Supervisor thread only.
 */
#pragma once

#include "base/command.h"

/* Where there are none left: ends the confined commands that hold some. */
void vt_watches_look(struct vt_command *commands);

/* In how many milliseconds that is due again; -1: never. */
int vt_watches_due_in(const struct vt_command *commands);
