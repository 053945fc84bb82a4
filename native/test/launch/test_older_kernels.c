/* What an unconfined command is on older kernels: before 5.9 (close_range(2)) and before 5.2 (CLONE_PIDFD). */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/kernel.h"
#include "test/check.h"
#include "test/commands.h"

enum { PIDFD = 0x1000 }; /* linux/sched.h */

/* The watcher's own descriptors are 0 to 5, and two that it opens. */
enum { WATCHER_MOST = 10, INHERITED = 100 };

static bool ignores_pidfd;

int __clone(int (*run)(void *), void *stack, int flags, void *context, ...);

/* Instead of libc's. */
int clone(int (*run)(void *), void *stack, int flags, void *context, ...) {
  va_list more;
  va_start(more, context);
  void *parent_tid = va_arg(more, void *), *tls = va_arg(more, void *), *child_tid = va_arg(more, void *);
  va_end(more);
  return __clone(run, stack, ignores_pidfd ? flags & ~PIDFD : flags, context, parent_tid, tls, child_tid);
}

/* For the whole process, before it has threads. */
static bool take_close_range(void) {
  struct sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, NR_CLOSE_RANGE, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program)) return false;
  return syscall(NR_CLOSE_RANGE, 3, 3, 0) == -1 && errno == ENOSYS;
}

static int highest_descriptor(int pid) {
  char path[32];
  int highest = -1;
  snprintf(path, sizeof path, "/proc/%d/fd", pid);
  DIR *listing = opendir(path);
  for (struct dirent *entry; listing && (entry = readdir(listing));)
    if (atoi(entry->d_name) > highest) highest = atoi(entry->d_name);
  if (listing) closedir(listing);
  return highest;
}

static void runs_without_close_range(void) {
  const char *line = "echo hello; test -e /proc/self/fd/100 && echo inherited";
  struct heard *of = wait_for(start_command(make_command("/bin/sh", line, "/")));
  CHECK(!of->end.failed_step, "%s, errno %d", of->end.failed_step, of->end.failed_errno);
  CHECK(strcmp(of->text[VT_STDOUT], "hello\n") == 0, "%s", of->text[VT_STDOUT]);
  int highest = highest_descriptor(vt_core_watcher_pid());
  CHECK(highest >= 5 && highest < WATCHER_MOST, "%d", highest);
}

static void refuses_without_pidfd(void) {
  ignores_pidfd = true;
  struct heard *of = wait_for(start_command(make_command("/bin/sh", "echo hello", "/")));
  CHECK(is_step(of->end.failed_step, "clone") && of->end.failed_errno == ENOSYS, "errno %d", of->end.failed_errno);
  CHECK(of->bytes[VT_STDOUT] == 0, "it ran");
}

int main(void) {
  CHECK(fcntl(STDERR_FILENO, F_DUPFD, INHERITED) == INHERITED, "errno %d", errno);
  if (!take_close_range()) {
    fprintf(stderr, "no filter: errno %d\n", errno);
    return EXIT_FAILURE;
  }
  runs_without_close_range();
  refuses_without_pidfd();
  return finish("older kernels run unconfined commands, or say why not");
}
