/* The end of an notification: the refusal is counted, the call answered. */
#pragma once

#include "notify/notification.h"

/* Whether the caller still waits: if not, its number may be anybody's (seccomp_unotify(2)). */
bool vt_caller_still_waits(const struct vt_listener *listener, const struct vt_notification *notification);

/* The same, by a listener that is known under another number. */
bool vt_caller_still_waits_at(int listener, const struct vt_notification *notification);

/* Counted before it is answered, so that a command that has ended has all its refusals counted; never blocks. */
void vt_reply(struct vt_listener *listener, struct vt_notification *notification);
