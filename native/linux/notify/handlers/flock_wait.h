/* Calls that wait for a lock: a separate thread retries for them, so that no other call waits. */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

struct vt_notification;

/* Takes over a notification, and replies once it has the lock, a signal arrives or the caller is gone. False: too many calls
 * of the command wait, or there is no thread; then our caller has to reply. */
bool vt_flock_wait_add(const struct vt_notification *notification);

/* Why the thread's call must not wait any longer: an errno, for a signal that is pending; 0: none. `seen` is kept between the
 * looks. */
int vt_wait_interruption(pid_t thread, bool *seen);

/* Releases finished waiters; their own thread cannot, having another descriptor table. Supervisor thread. */
void vt_flock_wait_reap(void);
