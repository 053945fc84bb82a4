#define _GNU_SOURCE
#include "poller.h"

#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "clock.h"

enum { BATCH = 64 };

static int epoll_fd = -1, alarm_fd = -1, clock_fd = -1;
static int64_t clock_set_to; /* monotonic milliseconds; 0: never yet */
static struct vt_source wake_source = {VT_SOURCE_WAKE, NULL};

static void add(int fd, struct vt_source *source, uint32_t events) {
  struct epoll_event event = {.events = events, .data.ptr = source};
  epoll_ctl(epoll_fd, EPOLL_CTL_ADD, fd, &event);
}

int vt_poller_open(int wake_fd) {
  if (epoll_fd < 0) epoll_fd = epoll_create1(EPOLL_CLOEXEC);
  if (alarm_fd < 0) alarm_fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
  if (clock_fd < 0) clock_fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
  if (epoll_fd < 0 || alarm_fd < 0 || clock_fd < 0) return -1;
  vt_poller_add(wake_fd, &wake_source);
  /* never read: each alarm is an edge of its own */
  add(alarm_fd, &wake_source, EPOLLIN | EPOLLET);
  add(clock_fd, &wake_source, EPOLLIN | EPOLLET);
  return 0;
}

void vt_poller_add(int fd, struct vt_source *source) { add(fd, source, EPOLLIN); }

void vt_poller_add_room(int fd, struct vt_source *source) { add(fd, source, EPOLLOUT); }

void vt_poller_add_hang_up(int fd, struct vt_source *source) { add(fd, source, 0); } /* EPOLLHUP always is told of */

void vt_poller_remove(int fd) { epoll_ctl(epoll_fd, EPOLL_CTL_DEL, fd, NULL); }

void vt_poller_wait(int timeout, void (*ready)(struct vt_source *source)) {
  struct epoll_event events[BATCH];
  int count = epoll_wait(epoll_fd, events, BATCH, timeout);
  for (int at = 0; at < count; at++) ready(events[at].data.ptr);
}

/* A timeout of epoll_wait(2) would be set and taken back at every turn. */
void vt_poller_wake_at(int64_t time) {
  if (clock_set_to <= time && clock_set_to > vt_now()) return;
  struct itimerspec once = {.it_value = {time / 1000, time % 1000 * 1000000L}};
  timerfd_settime(clock_fd, TFD_TIMER_ABSTIME, &once, NULL);
  clock_set_to = time;
}

void vt_poller_alarm(int milliseconds) {
  struct itimerspec once = {.it_value = {milliseconds / 1000, milliseconds % 1000 * 1000000L}};
  timerfd_settime(alarm_fd, 0, &once, NULL);
}
