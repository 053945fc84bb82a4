#define _GNU_SOURCE
#include "poller.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <unistd.h>

enum { HOT = 8, BATCH = 64 };

static int epoll_fd = -1;
static struct vt_command *hot[HOT];
static int hot_count, oldest;
static struct vt_source wake_source = {VT_SOURCE_WAKE, NULL};

static void watch_with_epoll(int fd, struct vt_source *source) {
  struct epoll_event event = {.events = EPOLLIN, .data.ptr = source};
  epoll_ctl(epoll_fd, EPOLL_CTL_ADD, fd, &event);
}

void vt_poller_open(int wake_fd) {
  epoll_fd = epoll_create1(EPOLL_CLOEXEC);
  if (epoll_fd < 0 || wake_fd < 0) {
    perror("vitrine: the supervisor cannot wait");
    abort();
  }
  watch_with_epoll(wake_fd, &wake_source);
}

void vt_poller_add(int fd, struct vt_source *source) { watch_with_epoll(fd, source); }

void vt_poller_remove(int fd) { epoll_ctl(epoll_fd, EPOLL_CTL_DEL, fd, NULL); }

static int hot_index(const struct vt_command *command) {
  for (int at = 0; at < hot_count; at++)
    if (hot[at] == command) return at;
  return -1;
}

void vt_poller_heat(struct vt_command *command) {
  if (hot_index(command) >= 0) return;
  vt_poller_remove(command->listener);
  if (hot_count < HOT) {
    hot[hot_count++] = command;
    return;
  }
  struct vt_command *cooled = hot[oldest];
  vt_poller_add(cooled->listener, &cooled->listener_source);
  hot[oldest] = command;
  oldest = (oldest + 1) % HOT;
}

void vt_poller_forget(struct vt_command *command) {
  int at = hot_index(command);
  if (at >= 0) hot[at] = hot[--hot_count];
  else vt_poller_remove(command->listener);
}

/* Returns whether epoll has something; hot listeners that have are handed out at once. */
static bool poll_directly(int timeout, void (*ready)(struct vt_source *source)) {
  struct pollfd polled[HOT + 1] = {{epoll_fd, POLLIN, 0}};
  struct vt_command *commands[HOT];
  int count = hot_count;
  for (int at = 0; at < count; at++) {
    commands[at] = hot[at];
    polled[at + 1] = (struct pollfd){hot[at]->listener, POLLIN, 0};
  }
  if (poll(polled, (nfds_t)count + 1, timeout) <= 0) return false;
  for (int at = 0; at < count; at++)
    if (polled[at + 1].revents) ready(&commands[at]->listener_source);
  return polled[0].revents != 0;
}

void vt_poller_wait(int timeout, void (*ready)(struct vt_source *source)) {
  struct epoll_event events[BATCH];
  if (hot_count > 0) {
    if (!poll_directly(timeout, ready)) return;
    timeout = 0;
  }
  int count = epoll_wait(epoll_fd, events, BATCH, timeout);
  for (int at = 0; at < count; at++) ready(events[at].data.ptr);
}
