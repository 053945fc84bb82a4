/* Decides notified calls: refused and reported, carried out, or continued. Runs on a notifier; a lookup may block. */
#pragma once

#include "notify/notification.h"

/* Does not look at the caller. */
void vt_notification_begin(struct vt_notification *notification, const struct seccomp_notif *notif, const struct vt_listener *listener);

void vt_dispatch(struct vt_notification *notification);

/* Decides without a lookup: refused, with the path as given if known, unless the handler is `quick`. */
void vt_dispatch_without_lookup(struct vt_notification *notification);

/* Calls that Landlock decides, by where their path leads (handlers/path.c). */
void vt_handle_open(struct vt_notification *notification);
void vt_handle_truncate(struct vt_notification *notification);
void vt_handle_remove(struct vt_notification *notification);
void vt_handle_create(struct vt_notification *notification);
void vt_handle_link(struct vt_notification *notification);
void vt_handle_rename(struct vt_notification *notification);

/* By the session of the target (handlers/signal.c). */
void vt_handle_signal(struct vt_notification *notification);

/* Note the RLIMIT_FSIZE that the command sets, and the sizes that it asks for (dispatch.c). */
void vt_handle_file_limit(struct vt_notification *notification);
void vt_handle_file_size(struct vt_notification *notification);

/* Notes that the command's processes no longer all have the host's umask (dispatch.c). */
void vt_handle_umask(struct vt_notification *notification);

/* handlers/bind.c */
void vt_handle_bind(struct vt_notification *notification);

/* Connects where some unix sockets are granted, by where the path leads; Landlock checks again (handlers/connect.c). */
void vt_handle_connect(struct vt_notification *notification);

/* The target of a refused call (caller/describe.c). */
void vt_describe(struct vt_notification *notification);

/* True if the refused socket is for a user or group lookup through libc (handlers/nss.c). */
bool vt_is_nss_lookup(const struct vt_notification *notification);
