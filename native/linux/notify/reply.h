/* Replies to notifications. */
#pragma once

#include "notify/notification.h"

/* Whether the caller still waits. If not, its pid may belong to another process (seccomp_unotify(2)). */
bool vt_caller_still_waits(const struct vt_notification *notification);

/* The same, for a duplicate of the listener. */
bool vt_caller_still_waits_at(int listener, const struct vt_notification *notification);

/* Counts a denial first, so that an ended command has all counted; then replies. Never blocks. */
void vt_reply(struct vt_listener *listener, struct vt_notification *notification);
