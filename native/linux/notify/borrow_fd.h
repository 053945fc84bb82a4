/* A descriptor of ours for what the caller has open: the same open file description (pidfd_getfd(2)). */
#pragma once

#include "notify/notification.h"

/* What is done with it; it is closed afterwards. */
typedef int (*vt_borrowed_fd_use)(struct vt_notification *notification, int fd, void *context);

/* Returns what `use` returns; -1 where nobody may have the descriptor (ptrace(2): Yama, not dumpable), where there is nothing to take
 * it with, or the caller is gone. */
int vt_with_borrowed_fd(struct vt_notification *notification, int number, vt_borrowed_fd_use use, void *context);

/* The parts, for a thread that keeps what it takes. First it has to be put apart: an empty table of its own, or -1. */
int vt_borrow_separate_table(void);

/* The listener, for that table; -1 and errno. */
int vt_borrow_listener(const struct vt_listener *listener);

/* What the caller has open: whose it was is certain when the call still waits afterwards. */
int vt_borrow_descriptor(struct vt_caller *caller, int number);
