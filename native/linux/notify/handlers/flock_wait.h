/* Calls that wait for a lock: a separate thread retries for them, so that no other call has to wait. */
#pragma once

#include <stdbool.h>

struct vt_listener;
struct vt_notification;

/* Takes over a notification, and replies when the lock is acquired, a signal arrives or the caller is gone. False: too many
 * of the command's calls wait already, or there is no thread; then the caller of this function replies. */
bool vt_flock_wait_add(struct vt_listener *listener, const struct vt_notification *notification);

/* Releases finished waiters; their own thread cannot, having another descriptor table. Supervisor thread. */
void vt_flock_wait_reap(void);
