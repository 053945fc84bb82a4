/* Opens of a FIFO for writing that wait for a reader (fifo(7)). A workspace command's notifier retries them between its other
 * calls, so that it never blocks. */
#pragma once

#include <stdbool.h>

struct vt_notification;
struct vt_fifo_waiter;

/* Takes over a notification with its FIFO; answers it once there is a reader, or a signal. False: too many wait. */
bool vt_fifo_wait_add(struct vt_fifo_waiter **waiting, struct vt_notification *notification);

/* Tries those that are due. Returns the milliseconds until the next try, -1: none waits. */
int vt_fifo_wait_try(struct vt_fifo_waiter **waiting, int listener);

void vt_fifo_wait_drop(struct vt_fifo_waiter **waiting);
