/* Judges intercepted calls: what is refused and reported, what goes on. Runs on a notifier, may block on a lookup. */
#pragma once

#include "notify/notification.h"

/* Starts an notification: everything that needs no look at the caller. */
void vt_notification_begin(struct vt_notification *notification, const struct seccomp_notif *notif, const struct vt_listener *listener);

/* Fills in what came out. */
void vt_dispatch(struct vt_notification *notification);

/* The outcome where nobody may look: refused, with the path as given if that is known. Some calls need no such look. */
void vt_dispatch_without_lookup(struct vt_notification *notification);

/* Of calls that the rules leave to Landlock: judged by where their path leads (judge_path.c). */
void vt_handle_open(struct vt_notification *notification);
void vt_handle_truncate(struct vt_notification *notification);
void vt_handle_remove(struct vt_notification *notification);
void vt_handle_create(struct vt_notification *notification);
void vt_handle_link(struct vt_notification *notification);
void vt_handle_rename(struct vt_notification *notification);

/* Of signals: by the session of the target (judge_signal.c). */
void vt_handle_signal(struct vt_notification *notification);

/* Of the size of files: what limit the command sets itself, and what size it asks for, is noted (judge.c). */
void vt_handle_file_limit(struct vt_notification *notification);
void vt_handle_file_size(struct vt_notification *notification);

/* Of addresses: the bind of a client is done in the caller's place (judge_bind.c). */
void vt_handle_bind(struct vt_notification *notification);

/* Where some unix sockets are granted: by where the path leads; Landlock judges it again (judge_connect.c). */
void vt_handle_connect(struct vt_notification *notification);

/* Texts of what calls that the rules refuse would have reached (describe.c). */
void vt_describe(struct vt_notification *notification);

/* Whether the refused socket is a lookup of users or groups that every program makes (name_service.c). */
bool vt_is_nss_lookup(const struct vt_notification *notification);
