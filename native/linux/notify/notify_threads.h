/*
 * The notifiers: threads that answer notified calls. The one on duty polls the listeners in use, and receives, looks up and
 * replies. A lookup can block as long as a file system does; then the supervisor replies instead, and another notifier takes
 * over. When all others are stuck, the last one replies without lookups.
 */
#pragma once

#include <stdbool.h>

#include "notify/listener.h"

/* Milliseconds: how long a sleeping lookup may take; how long one that borrows a descriptor, which can wait only for a lock;
 * how long any, even if it only lacks processor time; and the interval of vt_notifier_watch(). */
enum { VT_LOOKUP_MS = 20, VT_TAKE_MS = 500, VT_LOOKUP_MOST_MS = 1000, VT_WATCH_MS = 10 };

/* Like vt_supervisor_ready(), for commands with a listener. */
int vt_notifier_ready(void);

/* Has the notifiers answer the listener's calls until it hangs up. */
void vt_notifier_add(struct vt_listener *listener);

/* The command has ended: releases an idle listener now, before a notifier sees it hang up. */
void vt_notifier_remove(struct vt_listener *listener);

/* Whether listeners are in use: vt_notifier_watch() must then be called every VT_WATCH_MS. Supervisor thread. */
bool vt_notifier_is_active(void);

/* Replies in place of stuck notifiers. Supervisor thread only; never blocks. */
void vt_notifier_watch(void);
