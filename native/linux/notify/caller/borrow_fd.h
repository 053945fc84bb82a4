/* Borrowed descriptors: our own descriptor for a caller's open file description (pidfd_getfd(2)). */
#pragma once

#include "notify/notification.h"

typedef int (*vt_borrowed_fd_use)(struct vt_notification *notification, int fd, void *context);

/* Returns the result of `use`; -1: not permitted (ptrace(2): Yama, not dumpable), no thread or descriptor left,
 * caller gone. */
int vt_with_borrowed_fd(struct vt_notification *notification, int number, vt_borrowed_fd_use use, void *context);

/* Gives the calling thread an empty descriptor table of its own; -1 and errno. */
int vt_borrow_separate_table(void);

/* Gives it a table with only these descriptors of the main one; sorts them. -1 and errno. Does not need pidfd_getfd(2). */
int vt_borrow_table_of(int *kept, size_t count);

/* Duplicates the listener from the main table into the calling thread's; -1 and errno. */
int vt_borrow_listener(const struct vt_listener *listener);

/* Takes the caller's descriptor; certain only if the call still waits afterwards. */
int vt_borrow_descriptor(struct vt_caller *caller, int number);
