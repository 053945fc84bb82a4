/* Shared memory and terminals of a command's own, where its listener has a world and this thread may act for it. */
#pragma once

#include "notify/notification.h"

/* posix_memory.c: /dev/shm/NAME is a file in the command's TMPDIR; terminals, too. True: the call of the path in `given` is decided. */
bool vt_own_world(struct vt_notification *notification);
/* An open to read, as of shm_open(3) and of a terminal without waiting (open(2), O_NONBLOCK). Any other goes on. */
void vt_own_world_read(struct vt_notification *notification);

/* pseudo_terminal.c: opens /dev/ptmx, and the slave of a master that the caller has. True: the open is decided. */
bool vt_own_terminal(struct vt_notification *notification, uint32_t flags);
/* Opens /dev/tty for writing, if it is such a slave. Else the open goes on, or fails. */
void vt_own_controlling_terminal(struct vt_notification *notification, uint32_t flags);
void vt_handle_terminal_peer(struct vt_notification *notification); /* ioctl(2), TIOCGPTPEER */

/* sysv_memory.c: shmget(2), shmat(2), shmctl(2) */
void vt_handle_segment(struct vt_notification *notification);
