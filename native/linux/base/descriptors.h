/* Needs _GNU_SOURCE. */
#pragma once

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/kernel.h"

/* Closes; errno stays. */
static inline void vt_close(int fd) {
  int error = errno;
  close(fd);
  errno = error;
}

static inline void vt_close_directory(DIR *directory) {
  int error = errno;
  closedir(directory);
  errno = error;
}

/* Makes the descriptors from `first` on close at exec. Before Linux 5.11, without CLOSE_RANGE_CLOEXEC: those below 65536.
 * Async-signal-safe. Returns 0, or -1 with errno. */
static inline int vt_close_at_exec(int first) {
  struct rlimit limit;
  if (syscall(NR_CLOSE_RANGE, first, ~0u, RANGE_CLOEXEC) == 0) return 0;
  if (getrlimit(RLIMIT_NOFILE, &limit)) return -1;
  for (int fd = first; (rlim_t)fd < limit.rlim_cur && fd < 65536; fd++) fcntl(fd, F_SETFD, FD_CLOEXEC);
  return 0;
}

/* Moves a new descriptor above 2, where the child's streams would overwrite it. Takes over -1; closes it on failure. */
static inline int vt_above_standard(int fd) {
  if (fd < 0 || fd > 2) return fd;
  int above = fcntl(fd, F_DUPFD_CLOEXEC, 3);
  vt_close(fd);
  return above;
}
