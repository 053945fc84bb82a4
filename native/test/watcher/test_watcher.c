/* The start of the watcher: what its host hears of a failure, and a watcher that cannot map the table. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "test/check.h"
#include "watcher/host_side.h"

enum { TABLE_FD = 3, PIPE_FD = 4 };

static void starts(void) {
  CHECK(vt_core_watch() == 0 && vt_core_watcher_pid() > 0, "errno %d", errno);
  struct vt_watch_slot *slot = vt_watcher_take_slot();
  CHECK(slot, "errno %d", errno);
  if (slot) vt_watcher_free_slot(slot);
}

/* Descriptor 3 is a pipe, and the host of descriptor 4 is gone. */
static void be_watcher(const char *program) {
  char *const arguments[] = {(char *)"vitrine-watcher", NULL}, *const environment[] = {NULL};
  int ends[2];
  if (pipe(ends) || dup2(ends[0], 20) != 20 || dup2(20, TABLE_FD) != TABLE_FD || dup2(20, PIPE_FD) != PIPE_FD) _exit(2);
  for (int fd = PIPE_FD + 1; fd < 20; fd++) close(fd);
  execve(program, arguments, environment);
  _exit(2);
}

static void ends_without_a_table(void) {
  char program[32];
  int status = 0;
  snprintf(program, sizeof program, "/proc/%d/exe", vt_core_watcher_pid());
  pid_t pid = fork();
  if (pid == 0) be_watcher(program);
  CHECK(waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 1, "status %x", (unsigned)status);
}

/* The image is larger than what may be written: the first write is short, and sets no errno. */
static void tells_why_it_cannot_start(void) {
  char cookie[64]; /* it makes the table, which would fail first */
  struct rlimit before, small = {.rlim_cur = 100};
  CHECK(vt_watcher_cookie(1, cookie, sizeof cookie), "errno %d", errno);
  getrlimit(RLIMIT_FSIZE, &before);
  small.rlim_max = before.rlim_max;
  signal(SIGXFSZ, SIG_IGN);
  setrlimit(RLIMIT_FSIZE, &small);
  errno = 0;
  int error = vt_core_watch();
  errno = 0;
  struct vt_watch_slot *slot = vt_watcher_take_slot();
  int slot_error = errno;
  setrlimit(RLIMIT_FSIZE, &before);
  CHECK(error == EFBIG, "errno %d", error);
  CHECK(!slot && slot_error == EFBIG, "errno %d", slot_error);
}

int main(void) {
  tells_why_it_cannot_start();
  starts();
  ends_without_a_table();
  return finish("the watcher starts, or says why not");
}
