/* A moment without processes or descriptors must not count as a kernel without seccomp. */
#define _GNU_SOURCE
#include <errno.h>
#include <sys/resource.h>
#include <unistd.h>

#include "../check.h"
#include "confine/probe.h"

enum { NOBODY = 65534 };

static int probe_without(__rlimit_resource_t resource) {
  struct rlimit before, none;
  getrlimit(resource, &before);
  none = (struct rlimit){0, before.rlim_max};
  setrlimit(resource, &none);
  int error = vt_probe()->trial_errno;
  setrlimit(resource, &before);
  return error;
}

int main(void) {
  /* RLIMIT_NPROC does not hold for root. */
  CHECK(geteuid() != 0 || setresuid(NOBODY, NOBODY, NOBODY) == 0, "errno %d", errno);
  int processes = probe_without(RLIMIT_NPROC);
  CHECK(processes == EAGAIN, "errno %d", processes);
  int descriptors = probe_without(RLIMIT_NOFILE);
  CHECK(descriptors == EMFILE, "errno %d", descriptors);
  const struct vt_probe_result *again = vt_probe();
  CHECK(again->trial_errno == 0 && again->pidfd, "errno %d, pidfd %d", again->trial_errno, again->pidfd);
  CHECK(again->seccomp || again->seccomp_errno != EAGAIN, "errno %d", again->seccomp_errno);
  return finish("the kernel is probed");
}
