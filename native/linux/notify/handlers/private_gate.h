/* Carries calls out on files that are proven to be in the command's private directories. */
#pragma once

#include "notify/notification.h"

/* Whether our descriptor is of a private directory of the command, or beneath one. */
bool vt_is_private(const struct vt_listener *listener, int fd);

/* Carries a refused call out on a private file. False: it is none, or the call stays refused. */
bool vt_private_gate(struct vt_notification *notification);
