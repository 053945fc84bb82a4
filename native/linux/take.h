/* A descriptor of ours for what the caller has open: the same open file description (pidfd_getfd(2)). */
#pragma once

#include "inquiry.h"

/* What is done with it; it is closed afterwards. */
typedef int (*vt_use)(struct vt_inquiry *inquiry, int fd, void *context);

/* Returns what `use` returns; -1 where nobody may have the descriptor (ptrace(2): Yama, not dumpable), where there is nothing to take
 * it with, or the caller is gone. */
int vt_use_descriptor(struct vt_inquiry *inquiry, int number, vt_use use, void *context);

/* The parts, for a thread that keeps what it takes. First it has to be put apart: an empty table of its own, or -1. */
int vt_take_apart(void);

/* The listener, for that table; -1 and errno. */
int vt_take_listener(const struct vt_docket *docket);

/* What the caller has open: whose it was is certain when the call still waits afterwards. */
int vt_take_descriptor(struct vt_caller *caller, int number);
