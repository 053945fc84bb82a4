#define _GNU_SOURCE
#include "confine/core_dumps.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

static int destination(void) {
  char first = 0;
  int fd = open("/proc/sys/kernel/core_pattern", O_RDONLY | O_CLOEXEC);
  if (fd < 0) return -1;
  ssize_t length = read(fd, &first, 1);
  close(fd);
  return length < 0 ? -1 : first;
}

/* 1, not 0: with 0 the kernel still starts the program of a pipe; 1 means never (fs/coredump.c). A dump to a socket (Linux
 * 6.16) ignores the limit, and exec(2) makes an undumpable process dumpable again. */
int vt_core_dumps_stop(void) {
  struct rlimit never = {1, 1}, zero = {0, 0};
  int to = destination();
  if (to < 0) return -1;
  if (to == '@') {
    errno = EPROTONOSUPPORT;
    return -1;
  }
  if (setrlimit(RLIMIT_CORE, &never) == 0) return 0;
  /* The hard limit is already 0. */
  return to == '|' ? -1 : setrlimit(RLIMIT_CORE, &zero);
}
