/* Files of a command's private directories: found, proven, acted on. */
#pragma once

#include "notify/notification.h"

/* Whether the descriptor of ours stands for something beneath a private directory of the command's, or for the directory. */
bool vt_is_private(const struct vt_listener *listener, int fd);

/* Does in the caller's place what the rules refuse everywhere else. False: they refuse it here too. */
bool vt_private_gate(struct vt_notification *notification);
