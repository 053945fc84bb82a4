/* Replies to notifications. */
#pragma once

#include "notify/notification.h"

/* If not, its pid may belong to another process (seccomp_unotify(2)). */
bool vt_caller_still_waits(const struct vt_notification *notification);

/* The same by the notification's id, also for a duplicate of the listener. */
bool vt_call_still_waits(int listener, uint64_t id);

/* Ends a call with an error, or with success (0). False: it waits no longer. */
bool vt_end_call(int listener, uint64_t id, int error);

/* The answer: a descriptor of ours, or what errno says (-1). `flags`: O_CLOEXEC counts. */
void vt_answer_with_descriptor(struct vt_notification *notification, int fd, uint32_t flags);

/* Replies with a descriptor of ours, in one step (SECCOMP_ADDFD_FLAG_SEND, Linux 5.14); closes it. */
void vt_send_descriptor(int listener, uint64_t id, int fd, uint32_t flags);

/* Counts a denial first, so that an ended command has all counted; then replies. Never blocks. */
void vt_reply(struct vt_notification *notification);
