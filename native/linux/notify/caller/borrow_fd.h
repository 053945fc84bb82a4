/* Borrowed descriptors: our own descriptor for a caller's open file description (pidfd_getfd(2)). */
#pragma once

#include "notify/notification.h"

/* Gives the calling thread a descriptor table of its own with only these, which it sorts. Does not need pidfd_getfd(2). -1 and errno. */
int vt_borrow_table_of(int *kept, size_t count);

/* Duplicates the listener from the main table into the calling thread's; -1 with errno. */
int vt_borrow_listener(const struct vt_listener *listener);

/* Duplicates the caller's descriptor. It is certain to be the caller's only if the call still waits afterwards. */
int vt_borrow_descriptor(struct vt_caller *caller, int number);

/* The caller's descriptor, for certain. -1: not permitted (ptrace(2)), there is none, the caller is gone, or this thread has no table of
 * its own. */
int vt_borrow_proven(struct vt_notification *notification, int number);
