/* Files of a command's private directories: found, proven, acted on. */
#pragma once

#include "inquiry.h"

/* Whether the descriptor of ours stands for something beneath a private directory of the command's, or for the directory. */
bool vt_is_private(const struct vt_docket *docket, int fd);

/* Does in the caller's place what the rules refuse everywhere else. False: they refuse it here too. */
bool vt_act_in_private(struct vt_inquiry *inquiry);
