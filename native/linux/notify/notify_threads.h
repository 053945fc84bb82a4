/*
 * The notifiers: threads that answer intercepted calls. One is on duty: it polls the listeners in use, and receives, looks
 * up and answers by itself. A lookup can block for as long as a file system likes; then the supervisor answers in its
 * place, and another notifier takes over. When all but the last are stuck, that one answers without looking.
 */
#pragma once

#include <stdbool.h>

#include "notify/listener.h"

/* How long a lookup may take that waits for something, one that can only wait for a lock (milliseconds); how long any may that
 * wants the processor; and how often the supervisor has to look. */
enum { VT_LOOKUP_MS = 20, VT_TAKE_MS = 500, VT_LOOKUP_MOST_MS = 1000, VT_WATCH_MS = 10 };

/* As vt_supervisor_ready(), for commands with a listener. */
int vt_notifier_ready(void);

/* From now on notifiers answer the calls at the listener's listener, until it hangs up. */
void vt_notifier_add(struct vt_listener *listener);

/* The command has ended: an idle listener need not wait until a notifier sees it hang up. */
void vt_notifier_remove(struct vt_listener *listener);

/* Whether listeners are in use, so that vt_notifier_watch() has to be called every VT_WATCH_MS. Supervisor thread. */
bool vt_notifier_is_active(void);

/* Answers in the place of a notifier that is stuck. Supervisor thread only; never blocks. */
void vt_notifier_watch(void);
