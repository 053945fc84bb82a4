#define _GNU_SOURCE
#include "notify/idle_listeners.h"

#include <errno.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int set = -1, arrival = -1;
static struct vt_listener *newcomers; /* listeners that are not in the set, to be taken into use */

int vt_idle_open(void) {
  struct epoll_event event = {.events = EPOLLIN | EPOLLET}; /* edge-triggered: never read */
  if (set < 0) set = epoll_create1(EPOLL_CLOEXEC);
  if (arrival < 0) arrival = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (set < 0 || arrival < 0) return -1;
  return epoll_ctl(set, EPOLL_CTL_ADD, arrival, &event) == 0 || errno == EEXIST ? 0 : -1;
}

int vt_idle_descriptor(void) { return set; }

int vt_idle_wait(void) {
  struct epoll_event event; /* may name a freed listener: vt_idle_take() asks again under the lock */
  return epoll_wait(set, &event, 1, -1);
}

/* Without free epoll watches (a limit per user) the listener is taken into use at once, and polled. */
void vt_idle_add(struct vt_listener *listener) {
  struct epoll_event event = {.events = EPOLLIN, .data.ptr = listener};
  pthread_mutex_lock(&lock);
  listener->idle = true;
  if (epoll_ctl(set, EPOLL_CTL_ADD, listener->fd, &event)) {
    listener->newer = newcomers;
    newcomers = listener;
    eventfd_write(arrival, 1);
  }
  pthread_mutex_unlock(&lock);
}

static void take_out(struct vt_listener *listener) {
  listener->idle = false;
  epoll_ctl(set, EPOLL_CTL_DEL, listener->fd, NULL);
  struct vt_listener **at = &newcomers;
  while (*at && *at != listener) at = &(*at)->newer;
  if (*at) *at = listener->newer;
}

struct vt_listener *vt_idle_take(bool *called) {
  struct epoll_event event;
  pthread_mutex_lock(&lock);
  struct vt_listener *listener = epoll_wait(set, &event, 1, 0) > 0 ? event.data.ptr : NULL; /* NULL: `arrival` */
  if (listener) take_out(listener);
  pthread_mutex_unlock(&lock);
  if (listener) *called = (event.events & EPOLLIN) != 0;
  return listener;
}

struct vt_listener *vt_idle_take_new(void) {
  pthread_mutex_lock(&lock);
  struct vt_listener *listener = newcomers;
  if (listener) take_out(listener);
  pthread_mutex_unlock(&lock);
  return listener;
}

bool vt_idle_remove(struct vt_listener *listener) {
  pthread_mutex_lock(&lock);
  bool was_idle = listener->idle;
  if (was_idle) take_out(listener);
  pthread_mutex_unlock(&lock);
  return was_idle;
}
