/* Calls that wait: opens of a FIFO for writing, for a reader (fifo(7)), and flock(2), for the lock. The thread that answers a command's
 * calls retries them between the others, so that it never blocks. */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

struct vt_notification;
struct vt_fifo_waiter;

/* Takes over a notification with its descriptor; answers it once it need not wait, or at a signal. False: too many wait. */
bool vt_fifo_wait_add(struct vt_fifo_waiter **waiting, struct vt_notification *notification);

/* Tries those that are due. Returns the milliseconds until the next try, -1: none waits. */
int vt_fifo_wait_try(struct vt_fifo_waiter **waiting, int listener);

void vt_fifo_wait_drop(struct vt_fifo_waiter **waiting);

/* Why the thread's call must not wait any longer: an errno, for a signal that is pending; 0: none. `seen` is kept between the
 * looks. */
int vt_wait_interruption(pid_t thread, bool *seen);
