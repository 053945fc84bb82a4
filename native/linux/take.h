/* A descriptor of ours for what the caller has open: the same open file description (pidfd_getfd(2)). */
#pragma once

#include "inquiry.h"

/* What is done with it; it is closed afterwards. */
typedef int (*vt_use)(struct vt_inquiry *inquiry, int fd, void *context);

/* Returns what `use` returns; -1 where nobody may have the descriptor (ptrace(2): Yama, not dumpable), where there is nothing to take
 * it with, or the caller is gone. */
int vt_use_descriptor(struct vt_inquiry *inquiry, int number, vt_use use, void *context);
