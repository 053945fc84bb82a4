/* Needs _GNU_SOURCE. */
#pragma once

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/kernel.h"

/* errno stays. */
static inline void vt_close(int fd) {
  int error = errno;
  close(fd);
  errno = error;
}

/* Lists a directory; takes over its descriptor, or -1. NULL with errno. */
static inline DIR *vt_list(int fd) {
  DIR *directory = fd < 0 ? NULL : fdopendir(fd);
  if (fd >= 0 && !directory) vt_close(fd);
  return directory;
}

static inline void vt_close_directory(DIR *directory) {
  int error = errno;
  closedir(directory);
  errno = error;
}

/* Sets close-on-exec from `first` on; without CLOSE_RANGE_CLOEXEC (before Linux 5.11) below 65536 only. Async-signal-safe.
 * 0, or -1 with errno. */
static inline int vt_close_at_exec(int first) {
  struct rlimit limit;
  if (syscall(NR_CLOSE_RANGE, first, ~0u, RANGE_CLOEXEC) == 0) return 0;
  if (getrlimit(RLIMIT_NOFILE, &limit)) return -1;
  for (int fd = first; (rlim_t)fd < limit.rlim_cur && fd < 65536; fd++) fcntl(fd, F_SETFD, FD_CLOEXEC);
  return 0;
}

/* Moves a new descriptor, or -1, above those that the child's streams replace. Closes it on failure. */
static inline int vt_above_standard(int fd) {
  if (fd < 0 || fd > 2) return fd;
  int above = fcntl(fd, F_DUPFD_CLOEXEC, 3);
  vt_close(fd);
  return above;
}
