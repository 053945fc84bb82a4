/* Needs _GNU_SOURCE. */
#pragma once

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

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

/* Moves a new descriptor above 2, where the child's streams would overwrite it. Takes over -1; closes it on failure. */
static inline int vt_above_standard(int fd) {
  if (fd < 0 || fd > 2) return fd;
  int above = fcntl(fd, F_DUPFD_CLOEXEC, 3);
  vt_close(fd);
  return above;
}
