/* Finds a call's file in the command's private directories, proves it is there, and carries the call out. */
#pragma once

#include "notify/notification.h"

/* Whether our descriptor is for a private directory of the command or a file beneath it. */
bool vt_is_private(const struct vt_listener *listener, int fd);

/* Carries out for the caller what the rules refuse outside private directories. False: not here, the refusal stands. */
bool vt_private_gate(struct vt_notification *notification);
