/* Calls that wait for a lock: a thread asks for it again and again in their place, so that nobody else's call waits with them. */
#pragma once

#include <stdbool.h>

struct vt_listener;
struct vt_notification;

/* Takes an notification over, and answers it when the lock is had, a signal comes, or the caller has
 * gone. False: too many of the command's calls wait already, or there is no thread: the answer is left to whoever asks. */
bool vt_flock_wait_add(struct vt_listener *listener, const struct vt_notification *notification);

/* Lets go of what those needed whose wait is over: their thread cannot, for it has other descriptors. Supervisor thread. */
void vt_flock_wait_reap(void);
