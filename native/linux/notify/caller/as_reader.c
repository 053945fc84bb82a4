#define _GNU_SOURCE
#include "notify/caller/as_reader.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/threads.h"
#include "confine/confinement.h"
#include "confine/landlock.h"

struct errand {
  int ruleset;
  long call, arguments[5];
  long result;
  int error;
};

static void make_call(struct errand *errand) {
  const long *with = errand->arguments;
  errand->result = syscall(errand->call, with[0], with[1], with[2], with[3], with[4]);
  errand->error = errno;
}

/* Both last as long as the thread: prctl(2), landlock_restrict_self(2). The kernel copies the rules each time, about 0.1 us a rule. */
static void *run(void *context) {
  struct errand *errand = context;
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || vt_landlock_restrict(errand->ruleset)) errand->error = errno;
  else make_call(errand);
  return NULL;
}

static int carry_out(struct errand *errand) {
  if (errand->ruleset < 0) make_call(errand);
  else if (vt_thread_run("vitrine-read", run, errand)) return -1;
  errno = errand->error;
  return (int)errand->result;
}

static int ruleset_of(const struct vt_notification *notification) { return notification->listener->confinement->reading; }

/* A file that this call makes holds nothing yet. */
int vt_as_reader_open(const struct vt_notification *notification, int directory, const char *name, int flags, mode_t mode) {
  int ruleset = (flags & O_ACCMODE) == O_WRONLY || (flags & O_TMPFILE) == O_TMPFILE ? -1 : ruleset_of(notification);
  if (ruleset >= 0 && (flags & O_CREAT)) {
    int fd = openat(directory, name, flags | O_EXCL, mode);
    if (fd >= 0 || errno != EEXIST || (flags & O_EXCL)) return fd;
  }
  struct errand errand = {ruleset, SYS_openat, {directory, (long)name, flags, (long)mode, 0}, -1, 0};
  return carry_out(&errand);
}

int vt_as_reader_move(const struct vt_notification *notification, long call, int from, const char *old, int to, const char *new, uint32_t flags) {
  struct errand errand = {ruleset_of(notification), call, {from, (long)old, to, (long)new, (long)flags}, -1, 0};
  return carry_out(&errand);
}
