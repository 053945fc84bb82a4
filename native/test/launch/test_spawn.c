/* Requests for commands: their descriptors, what a failed one leaves, and a child that is killed before its filter. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "confine/probe.h"
#include "test/check.h"
#include "test/commands.h"

enum { FIRST_ID = 100, MOST_SPARE = 20, PATIENCE_MS = 20000 };

static pthread_t requester;
static int changed_by_requester;
static bool kills_child;

/* Instead of libc's, as is setsid(). */
int epoll_ctl(int epoll, int operation, int fd, struct epoll_event *event) {
  if (pthread_equal(pthread_self(), requester)) changed_by_requester++;
  return (int)syscall(SYS_epoll_ctl, epoll, operation, fd, event);
}

pid_t setsid(void) {
  if (kills_child) syscall(SYS_kill, syscall(SYS_getpid), SIGKILL);
  return (pid_t)syscall(SYS_setsid);
}

static struct vt_text text_of(const char *text, size_t length) {
  char *copy = malloc(length + 1);
  memcpy(copy, text, length);
  copy[length] = 0;
  return (struct vt_text){copy, length};
}

/* One block for all texts, as the binding makes it. */
static struct vt_request request_for(uint32_t id, const char *line) {
  static const char first[] = "/bin/sh\0sh\0-c";
  char all[256];
  size_t length = strlen(line), at = sizeof first;
  memcpy(all, first, sizeof first);
  memcpy(all + at, line, length + 1);
  memcpy(all + at + length + 1, "A=B\0/", 6);
  char *block = text_of(all, at + length + 7).at;
  return (struct vt_request){
      .id = id,
      .owner = &test_owner,
      .candidates = {block, 7},
      .argv = {block + 8, 5 + 1 + length},
      .environment = {block + at + length + 1, 3},
      .directory = {block + at + length + 5, 1},
      .stdin_fd = VT_STDIN_PIPE,
  };
}

static int count_descriptors(void) {
  int count = 0;
  DIR *listing = opendir("/proc/self/fd");
  while (readdir(listing)) count++;
  closedir(listing);
  return count;
}

static void gets_input(uint32_t id) {
  struct vt_started started;
  struct vt_request request = request_for(id, "cat; echo out");
  vt_core_spawn(&request, &started);
  CHECK(!started.failed_step, "%s, errno %d", started.failed_step, started.failed_errno);
  CHECK(write(started.stdin_fd, "in\n", 3) == 3, "errno %d", errno);
  close(started.stdin_fd);
  struct heard *of = wait_for(id);
  CHECK(strcmp(of->text[VT_STDOUT], "in\nout\n") == 0, "%s", of->text[VT_STDOUT]);
}

/* A host may have closed its standard streams: pipes then get their numbers. */
static void gets_input_without_standard_streams(void) {
  int in = fcntl(0, F_DUPFD_CLOEXEC, 50), out = fcntl(1, F_DUPFD_CLOEXEC, 50);
  close(0);
  close(1);
  gets_input(FIRST_ID + 1);
  dup2(in, 0);
  dup2(out, 1);
  close(in);
  close(out);
}

/* Returns the step at which a command in a terminal failed for want of descriptors. */
static const char *start_in_terminal(rlim_t most) {
  struct rlimit before;
  struct vt_started started;
  struct vt_request request = request_for(FIRST_ID + 2, ":");
  request.stdin_fd = VT_STDIN_NULL, request.columns = 80, request.rows = 25;
  getrlimit(RLIMIT_NOFILE, &before);
  setrlimit(RLIMIT_NOFILE, &(struct rlimit){most, before.rlim_max});
  vt_core_spawn(&request, &started);
  setrlimit(RLIMIT_NOFILE, &before);
  if (!started.failed_step) close(started.stdin_fd);
  return started.failed_step;
}

/* Each time with one descriptor more, until it is queued. */
static void leaves_nothing_of_a_failed_request(void) {
  int before = count_descriptors(), spare = 0;
  const char *step = NULL;
  changed_by_requester = 0;
  for (; spare < MOST_SPARE; spare++) {
    step = start_in_terminal((rlim_t)(before - 3 + spare));
    if (!is_step(step, "terminal")) break;
    CHECK(count_descriptors() == before, "%d, before %d", count_descriptors(), before);
  }
  CHECK(!step && spare > 0, "%s, with %d more", step, spare);
  CHECK(changed_by_requester == 0, "the requester's thread changed the event loop %d times", changed_by_requester);
  wait_for(FIRST_ID + 2);
  wait_for_releases(3);
}

/* By the kernel, when memory is short. */
static void reports_a_child_killed_before_its_filter(void) {
  struct vt_command *command = make_command("/bin/sh", ":", "/");
  confine_command(command, NULL);
  kills_child = true;
  struct heard *of = wait_for(start_command(command));
  kills_child = false;
  CHECK(is_step(of->end.failed_step, "seccomp") && of->end.failed_errno == ECHILD, "%s, errno %d",
        of->end.failed_step, of->end.failed_errno);
}

int main(void) {
  requester = pthread_self();
  gets_input(FIRST_ID);
  gets_input_without_standard_streams();
  wait_for_releases(2); /* a command's descriptors close after its report */
  leaves_nothing_of_a_failed_request();
  if (vt_probe()->listener) reports_a_child_killed_before_its_filter();
  return finish("requests are carried out or leave nothing");
}
