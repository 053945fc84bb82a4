/* Descriptors that epoll does not take are polled. */
#define _GNU_SOURCE
#include <errno.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "supervise/supervise.h"
#include "test/check.h"

enum { PATIENCE_MS = 20000 };

static int error_of_add;
static struct vt_source *last_ready;

/* Instead of libc's. */
int epoll_ctl(int epoll, int operation, int fd, struct epoll_event *event) {
  if (operation != EPOLL_CTL_ADD || !error_of_add) return (int)syscall(SYS_epoll_ctl, epoll, operation, fd, event);
  errno = error_of_add;
  return -1;
}

static void note(struct vt_source *source) {
  last_ready = source;
}

/* ENOSPC: the user's watches are used up. */
static void polls_what_epoll_refuses(int error) {
  struct vt_source source = {VT_SOURCE_PIPE, NULL};
  int fd = eventfd(1, EFD_CLOEXEC);
  error_of_add = error;
  vt_event_loop_add(fd, &source);
  error_of_add = 0;
  last_ready = NULL;
  vt_event_loop_wait(PATIENCE_MS, note);
  CHECK(last_ready == &source, "not after errno %d", error);
  vt_event_loop_remove(fd);
  close(fd);
}

/* The wake-up descriptor is polled from the beginning. */
static void opens(int wake) {
  error_of_add = ENOSPC;
  CHECK(vt_event_loop_open(wake) == 0, "errno %d", errno);
  error_of_add = 0;
}

int main(void) {
  opens(eventfd(0, EFD_CLOEXEC));
  polls_what_epoll_refuses(ENOSPC);
  polls_what_epoll_refuses(ENOMEM);
  return finish("the event loop polls what epoll refuses");
}
