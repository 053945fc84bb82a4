/* Calls that wait for a lock: a thread asks for it again and again in their place, so that nobody else's call waits with them. */
#pragma once

#include <stdbool.h>

struct vt_docket;
struct vt_inquiry;

/* Takes an inquiry over, and answers it when the lock is had, a signal comes, or the caller has
 * gone. False: too many of the command's calls wait already, or there is no thread: the answer is left to whoever asks. */
bool vt_waiters_add(struct vt_docket *docket, const struct vt_inquiry *inquiry);

/* Lets go of what those needed whose wait is over: their thread cannot, for it has other descriptors. Supervisor thread. */
void vt_waiters_reap(void);
