/* Borrowed descriptors: our own descriptor for a caller's open file description (pidfd_getfd(2)). */
#pragma once

#include "notify/notification.h"

typedef int (*vt_borrowed_fd_use)(struct vt_notification *notification, int fd, void *context);

/* The result of `use`; -1: not permitted (ptrace(2)), no thread or descriptor left, or the caller is gone. */
int vt_with_borrowed_fd(struct vt_notification *notification, int number, vt_borrowed_fd_use use, void *context);

/* Gives the calling thread an empty descriptor table of its own; -1 and errno. */
int vt_borrow_separate_table(void);

/* Gives it a table with only these descriptors, which it sorts. Does not need pidfd_getfd(2). */
int vt_borrow_table_of(int *kept, size_t count);

/* Duplicates the listener from the main table into the calling thread's; -1 with errno. */
int vt_borrow_listener(const struct vt_listener *listener);

/* Duplicates the caller's descriptor. It is certain to be the caller's only if the call still waits afterwards. */
int vt_borrow_descriptor(struct vt_caller *caller, int number);

/* In a server's thread: the caller's descriptor, for certain; -1. */
int vt_borrow_proven(struct vt_notification *notification, int number);
