#define _GNU_SOURCE
#include "take.h"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "answer.h"

/* asm-generic/unistd.h; linux/pidfd.h: PIDFD_THREAD, Linux 6.9 */
enum { NR_PIDFD_OPEN = 434, NR_PIDFD_GETFD = 438, PIDFD_OF_THREAD = O_EXCL };

static int open_caller(struct vt_caller *caller) {
  int pidfd = (int)syscall(NR_PIDFD_OPEN, caller->thread, PIDFD_OF_THREAD);
  return pidfd >= 0 ? pidfd : (int)syscall(NR_PIDFD_OPEN, vt_caller_process(caller), 0);
}

int vt_take_descriptor(struct vt_inquiry *inquiry, int number) {
  int pidfd = open_caller(&inquiry->caller);
  if (pidfd < 0) return -1;
  int fd = (int)syscall(NR_PIDFD_GETFD, pidfd, number, 0);
  close(pidfd);
  /* Only now it is certain whose number that was (seccomp_unotify(2)). */
  if (fd < 0 || vt_still_waits(inquiry->docket, inquiry)) return fd;
  close(fd);
  return -1;
}
