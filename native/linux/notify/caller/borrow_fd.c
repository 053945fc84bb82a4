#define _GNU_SOURCE
#include "notify/caller/caller.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/kernel.h"
#include "notify/dispatch.h"

enum { PIDFD_OF_THREAD = O_EXCL }; /* linux/pidfd.h: PIDFD_THREAD, Linux 6.9 */

static int open_caller(struct vt_caller *caller) {
  int pidfd = (int)syscall(NR_PIDFD_OPEN, caller->thread, PIDFD_OF_THREAD);
  return pidfd >= 0 ? pidfd : (int)syscall(NR_PIDFD_OPEN, vt_caller_process(caller), 0);
}

static int take_from(int pidfd, int number) {
  if (pidfd < 0) return -1;
  int fd = (int)syscall(NR_PIDFD_GETFD, pidfd, number, 0);
  close(pidfd);
  return fd;
}

static int by_number(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

int vt_borrow_table_of(int *kept, size_t count) {
  qsort(kept, count, sizeof *kept, by_number);
  unsigned from = (unsigned)kept[count - 1] + 1;
  if (syscall(NR_CLOSE_RANGE, from, ~0u, RANGE_UNSHARE)) return -1;
  from = 0;
  for (size_t i = 0; i < count; i++) {
    unsigned fd = (unsigned)kept[i];
    if (fd > from && syscall(NR_CLOSE_RANGE, from, fd - 1, 0)) return -1;
    from = fd + 1;
  }
  return 0;
}

int vt_borrow_descriptor(struct vt_caller *caller, int number) { return take_from(open_caller(caller), number); }

/* -1 with ESRCH: the thread is gone that had this number. */
static int take_from_known(const struct vt_known_caller *known, const struct vt_caller *caller, int number) {
  errno = ESRCH;
  return known->opened == caller->thread ? (int)syscall(NR_PIDFD_GETFD, known->pidfd, number, 0) : -1;
}

static int take_keeping(struct vt_known_caller *known, struct vt_caller *caller, int number) {
  int fd = take_from_known(known, caller, number);
  if (fd >= 0 || errno != ESRCH) return fd;
  if (known->opened) close(known->pidfd);
  known->pidfd = (int)syscall(NR_PIDFD_OPEN, caller->thread, PIDFD_OF_THREAD);
  known->opened = known->pidfd >= 0 ? caller->thread : 0;
  return known->opened ? take_from_known(known, caller, number) : vt_borrow_descriptor(caller, number);
}

/* Closing any descriptor of a file drops all POSIX locks of that descriptor table on it (F_SETLK(2const)): a command could
 * make the host lose a database lock. So only a thread with its own table borrows. The descriptor is certain to be the caller's only
 * if the call still waits (seccomp_unotify(2)). */
int vt_borrow_proven(struct vt_notification *notification, int number) {
  int fd = !notification->apart ? -1 : take_keeping(&notification->known, &notification->caller, number);
  if (fd < 0 || vt_caller_still_waits(notification)) return fd;
  close(fd);
  return -1;
}
