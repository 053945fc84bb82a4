/* The notifiers: threads that answer notified calls. One is on duty. If its lookup blocks, as a file system can for any time,
 * the supervisor replies instead and another notifier takes over; the last one replies without lookups. */
#pragma once

#include <stdbool.h>

#include "notify/listener.h"

/* Milliseconds after which a lookup is stuck, and the interval of vt_notifier_watch(). */
enum {
  VT_LOOKUP_MS = 20,        /* a lookup that sleeps */
  VT_TAKE_MS = 500,         /* one that sleeps while it borrows a descriptor, which waits only for locks */
  VT_LOOKUP_MOST_MS = 1000, /* any, even if it only lacks processor time */
  VT_WATCH_MS = 10,
};

/* Like vt_supervisor_ready(), for commands with a listener. */
int vt_notifier_ready(void);

/* Until the listener hangs up. */
void vt_notifier_add(struct vt_listener *listener);

/* The command has ended: releases its listener, if idle, before it hangs up. */
void vt_notifier_remove(struct vt_listener *listener);

/* Listeners are in use: call vt_notifier_watch() every VT_WATCH_MS. Supervisor thread. */
bool vt_notifier_is_active(void);

/* Replies in place of stuck notifiers. Supervisor thread only; never blocks. */
void vt_notifier_watch(void);
