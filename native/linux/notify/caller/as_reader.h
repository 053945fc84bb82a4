/* Calls of the workspace by which a command could come to read more, where not everything may be read: opening for reading, and giving a
 * file another place. They are made in a thread with the command's own ruleset for reading, so that Landlock answers as it answers the
 * command: EACCES, EXDEV. */
#pragma once

#include "notify/notification.h"

/* As openat(2), for a descriptor that goes to the command. */
int vt_as_reader_open(const struct vt_notification *notification, int directory, const char *name, int flags, mode_t mode);

/* `call`: SYS_linkat or SYS_renameat2, which have the same arguments. */
int vt_as_reader_move(const struct vt_notification *notification, long call, int from, const char *old, int to, const char *new, uint32_t flags);
