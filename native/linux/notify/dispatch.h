/* Decides notified calls: refused and reported, carried out, or continued. Runs on a notifier; a lookup may block. */
#pragma once

#include <sys/stat.h>

#include "notify/notification.h"

/* Receives a call by a descriptor of the listener. False: its caller was killed meanwhile. */
bool vt_notification_receive(struct vt_notification *notification, struct vt_listener *listener, int listener_fd);

void vt_dispatch(struct vt_notification *notification);

/* Answers the calls of a command until its listener hangs up. `apart`: as in struct vt_notification. */
void vt_dispatch_all(struct vt_listener *listener, int listener_fd, bool apart);

/* handlers/path.c: by where the path leads */
void vt_handle_open(struct vt_notification *notification);
void vt_handle_truncate(struct vt_notification *notification);
void vt_handle_remove(struct vt_notification *notification);
void vt_handle_create(struct vt_notification *notification);
void vt_handle_link(struct vt_notification *notification);
void vt_handle_rename(struct vt_notification *notification);

/* handlers/signal.c: by the session of the target */
void vt_handle_signal(struct vt_notification *notification);

/* dispatch.c: notes the command's own RLIMIT_FSIZE, the sizes that it asks for, and that umasks may differ */
void vt_handle_file_limit(struct vt_notification *notification);
void vt_handle_file_size(struct vt_notification *notification);

void vt_handle_umask(struct vt_notification *notification);

/* dispatch.c: of the caller itself, by its number */
void vt_handle_scheduling(struct vt_notification *notification);

/* caller/own_sandbox.c: notes that a process narrows its own rights, and refuses what the notifier would undo */
void vt_handle_own_domain(struct vt_notification *notification);
void vt_handle_capabilities(struct vt_notification *notification);
void vt_handle_own_filter(struct vt_notification *notification);

/* handlers/bind.c */
void vt_handle_bind(struct vt_notification *notification);

/* handlers/connect.c: where some unix sockets are granted; Landlock checks again */
void vt_handle_connect(struct vt_notification *notification);

/* caller/describe.c: the target of a refused call */
void vt_describe(struct vt_notification *notification);
/* Whether the descriptor that the call names is closed: its answer is EBADF, and no denial. */
bool vt_names_closed(struct vt_notification *notification);
/* Refuses it with EACCES, reported. */
void vt_refuse(struct vt_notification *notification);

/* Reads the call's path as given; "": it has none. False: it cannot be read. */
bool vt_read_given(struct vt_notification *notification);

/* handlers/nss.c: the refused socket is for a user or group lookup of libc */
bool vt_is_nss_lookup(const struct vt_notification *notification);

/* Opens a device that every command may write to (confine/landlock.h), by the path as given or by what it is: Landlock decides. A
 * command without a terminal is told so, as the kernel would (ENXIO): Landlock, which grants /dev/tty for reading only, says EACCES. */
bool vt_opens_harmless_name(struct vt_notification *notification, uint32_t flags);
bool vt_opens_harmless_node(struct vt_notification *notification, const struct stat *status, uint32_t flags);
