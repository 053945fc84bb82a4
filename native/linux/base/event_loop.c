#define _GNU_SOURCE
#include "base/event_loop.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "base/clock.h"

enum { BATCH = 64 };

static int epoll_fd = -1, alarm_fd = -1, clock_fd = -1;
static int64_t clock_set_to; /* monotonic milliseconds; 0: never set */
static struct vt_source wake_source = {VT_SOURCE_WAKE, NULL};

/* For descriptors that epoll does not take: beyond the user's limit of watches (ENOSPC), which a command can exhaust, or without
 * memory. polled[0] is the epoll set. */
static struct pollfd *polled;
static struct vt_source **sources;
static size_t rest, room; /* not counting polled[0] */

static void poll_too(int fd, struct vt_source *source, uint32_t events) {
  if (rest == room) {
    room = room ? room * 2 : 64;
    polled = realloc(polled, (room + 1) * sizeof *polled);
    sources = realloc(sources, (room + 1) * sizeof *sources);
    if (!polled || !sources) abort(); /* else a command's end would go unnoticed */
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
  if (alarm_fd < 0) alarm_fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
  if (clock_fd < 0) clock_fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
  if (epoll_fd < 0 || alarm_fd < 0 || clock_fd < 0) return -1;
  vt_event_loop_add(wake_fd, &wake_source);
  /* each expiry is an edge of its own */
  add(alarm_fd, &wake_source, EPOLLIN | EPOLLET);
  add(clock_fd, &wake_source, EPOLLIN | EPOLLET);
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

/* Polled, an expiry is no edge: it must be read. */
static void read_expiry(int fd) {
  uint64_t count;
  if ((fd == alarm_fd || fd == clock_fd) && read(fd, &count, sizeof count) < 0) return;
}

/* Backwards: a removal fills its gap with the last entry, which has had its turn, and additions are appended. */
static void wait_for_rest(int timeout, void (*ready)(struct vt_source *source)) {
  polled[0] = (struct pollfd){epoll_fd, POLLIN, 0};
  if (poll(polled, rest + 1, timeout) <= 0) return;
  for (size_t at = rest; at > 0; at--) {
    if (at > rest || !polled[at].revents) continue;
    polled[at].revents = 0;
    read_expiry(polled[at].fd);
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

/* A timer, because an epoll_wait(2) timeout would be armed and cancelled at every turn. */
void vt_event_loop_wake_at(int64_t time) {
  if (clock_set_to <= time && clock_set_to > vt_now()) return;
  struct itimerspec once = {.it_value = {time / 1000, time % 1000 * 1000000L}};
  timerfd_settime(clock_fd, TFD_TIMER_ABSTIME, &once, NULL);
  clock_set_to = time;
}

void vt_event_loop_alarm(int milliseconds) {
  struct itimerspec once = {.it_value = {milliseconds / 1000, milliseconds % 1000 * 1000000L}};
  timerfd_settime(alarm_fd, 0, &once, NULL);
}
