/* A descriptor of ours for what the caller has open: the same open file description (pidfd_getfd(2)). */
#pragma once

#include "inquiry.h"

/* -1 where nobody may have one (ptrace(2): Yama, not dumpable), or the caller is gone. */
int vt_take_descriptor(struct vt_inquiry *inquiry, int number);
