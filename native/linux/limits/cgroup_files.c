#define _GNU_SOURCE
#include "limits/cgroup_files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/descriptors.h"

bool vt_cgroup_path(char path[VT_CGROUP_LONG], const char *directory, const char *name) {
  return snprintf(path, VT_CGROUP_LONG, "%s/%s", directory, name) < VT_CGROUP_LONG;
}

static int open_in(const char *directory, const char *name, int flags) {
  char path[VT_CGROUP_LONG];
  return vt_cgroup_path(path, directory, name) ? open(path, flags | O_CLOEXEC) : -1;
}

size_t vt_cgroup_read(const char *directory, const char *name, char *text, size_t size) {
  int fd = open_in(directory, name, O_RDONLY);
  size_t length = 0;
  for (ssize_t got; fd >= 0 && length < size - 1 && (got = read(fd, text + length, size - 1 - length)) > 0;) length += (size_t)got;
  if (fd >= 0) close(fd);
  text[length] = 0;
  return length;
}

int vt_cgroup_write(const char *directory, const char *name, const char *text) {
  int fd = open_in(directory, name, O_WRONLY);
  if (fd < 0) return -1;
  ssize_t written = write(fd, text, strlen(text));
  vt_close(fd);
  return written < 0 ? -1 : 0;
}
