/* A moment without processes must not count as a kernel without seccomp. */
#define _GNU_SOURCE
#include <errno.h>
#include <sys/resource.h>
#include <unistd.h>

#include "../check.h"
#include "confine/probe.h"

enum { NOBODY = 65534 };

/* The limit does not hold for root. */
static int probe_without_processes(void) {
  struct rlimit before, none;
  getrlimit(RLIMIT_NPROC, &before);
  none = (struct rlimit){0, before.rlim_max};
  setrlimit(RLIMIT_NPROC, &none);
  int error = vt_probe()->trial_errno;
  setrlimit(RLIMIT_NPROC, &before);
  return error;
}

int main(void) {
  CHECK(geteuid() != 0 || setresuid(NOBODY, NOBODY, NOBODY) == 0, "errno %d", errno);
  int error = probe_without_processes();
  CHECK(error == EAGAIN, "errno %d", error);
  const struct vt_probe_result *again = vt_probe();
  CHECK(again->trial_errno == 0 && again->pidfd, "errno %d, pidfd %d", again->trial_errno, again->pidfd);
  CHECK(again->seccomp || again->seccomp_errno != EAGAIN, "errno %d", again->seccomp_errno);
  return finish("the kernel is probed");
}
