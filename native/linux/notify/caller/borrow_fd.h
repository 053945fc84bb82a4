/* Borrowed descriptors: our own descriptor for a caller's open file description (pidfd_getfd(2)). */
#pragma once

#include "notify/notification.h"

typedef int (*vt_borrowed_fd_use)(struct vt_notification *notification, int fd, void *context);

/* Returns the result of `use`; -1: not permitted (ptrace(2): Yama, not dumpable), no thread or descriptor left,
 * caller gone. */
int vt_with_borrowed_fd(struct vt_notification *notification, int number, vt_borrowed_fd_use use, void *context);

/* For a thread that keeps what it borrows. Gives it an empty descriptor table of its own; -1 on failure. */
int vt_borrow_separate_table(void);

/* Duplicates a descriptor of the main table, such as the listener's, into that table; -1 and errno. */
int vt_borrow_own(int fd);

/* Instead: gives the thread a table of its own with these descriptors of the main table, in ascending order; -1 and errno. */
int vt_borrow_keep(const int *sorted, size_t count);

int vt_borrow_listener(const struct vt_listener *listener);

/* Takes the caller's descriptor; certain only if the call still waits afterwards. */
int vt_borrow_descriptor(struct vt_caller *caller, int number);
