#define _GNU_SOURCE
#include "supervise/supervise.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "base/basics.h"

enum { BATCH = 64 };

static int epoll_fd = -1;
static struct vt_source wake_source = {VT_SOURCE_WAKE, NULL};

/* epoll(7) tells what is ready in the order in which it became so, which is that of a command's output on two streams. What it does not
 * take: without memory, or beyond the user's limit of watches (ENOSPC), which a command can use up. polled[0] is the epoll set. */
static struct pollfd *polled;
static struct vt_source **sources;
static size_t rest, room; /* not counting polled[0] */

static void poll_too(int fd, struct vt_source *source, uint32_t events) {
  if (rest == room) {
    room = room ? room * 2 : 64;
    polled = vt_must(realloc(polled, (room + 1) * sizeof *polled));
    sources = vt_must(realloc(sources, (room + 1) * sizeof *sources));
  }
  polled[++rest] = (struct pollfd){fd, (short)events, 0}; /* EPOLLIN and EPOLLOUT equal POLLIN and POLLOUT */
  sources[rest] = source;
}

static void add(int fd, struct vt_source *source, uint32_t events) {
  struct epoll_event event = {.events = events, .data.ptr = source};
  if (epoll_ctl(epoll_fd, EPOLL_CTL_ADD, fd, &event) && errno != EEXIST) poll_too(fd, source, events);
}

int vt_event_loop_open(int wake_fd) {
  if (epoll_fd < 0) epoll_fd = epoll_create1(EPOLL_CLOEXEC);
  if (epoll_fd < 0) return -1;
  vt_event_loop_add(wake_fd, &wake_source);
  return 0;
}

void vt_event_loop_add(int fd, struct vt_source *source) { add(fd, source, EPOLLIN); }

void vt_event_loop_add_room(int fd, struct vt_source *source) { add(fd, source, EPOLLOUT); }

void vt_event_loop_add_hang_up(int fd, struct vt_source *source) { add(fd, source, 0); } /* EPOLLHUP is always reported */

void vt_event_loop_remove(int fd) {
  size_t at = rest;
  while (at > 0 && polled[at].fd != fd) at--;
  if (at == 0) {
    epoll_ctl(epoll_fd, EPOLL_CTL_DEL, fd, NULL);
    return;
  }
  polled[at] = polled[rest];
  sources[at] = sources[rest--];
}

/* Backwards: `ready` may remove an entry, whose gap the last one fills, or append one. */
static void wait_for_rest(int timeout, void (*ready)(struct vt_source *source)) {
  polled[0] = (struct pollfd){epoll_fd, POLLIN, 0};
  if (poll(polled, rest + 1, timeout) <= 0) return;
  for (size_t at = rest; at > 0; at--) {
    if (at > rest || !polled[at].revents) continue;
    polled[at].revents = 0;
    ready(sources[at]);
  }
}

void vt_event_loop_wait(int timeout, void (*ready)(struct vt_source *source)) {
  struct epoll_event events[BATCH];
  if (rest > 0) {
    wait_for_rest(timeout, ready);
    timeout = 0;
  }
  int count = epoll_wait(epoll_fd, events, BATCH, timeout);
  for (int at = 0; at < count; at++) ready(events[at].data.ptr);
}
