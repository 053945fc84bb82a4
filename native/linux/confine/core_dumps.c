#define _GNU_SOURCE
#include "confine/core_dumps.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/files.h"

/* Stays open in the host, whose descriptor table the first child shares: opening takes longer than a read, which tells the present
 * setting (proc_dostring, kernel/sysctl.c). */
static int pattern = -1;

static int destination(void) {
  char first = 0;
  if (pattern < 0) pattern = vt_above_standard(open("/proc/sys/kernel/core_pattern", O_RDONLY | O_CLOEXEC));
  return pattern < 0 || pread(pattern, &first, 1, 0) < 0 ? -1 : first;
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
