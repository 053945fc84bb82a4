#define _GNU_SOURCE
#include "idle.h"

#include <errno.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int set = -1, arrival = -1;
static struct vt_docket *newcomers; /* in the set, too */

/*
 * Whether the last command made such a call: then the next one is expected to, and its listener is taken into use from the
 * start. That saves its first call 20 us of waking a thread on another processor, and costs a command without calls a few.
 */
static bool calls_expected; /* under the lock */

int vt_idle_open(void) {
  struct epoll_event event = {.events = EPOLLIN | EPOLLET}; /* edges: never read */
  if (set < 0) set = epoll_create1(EPOLL_CLOEXEC);
  if (arrival < 0) arrival = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (set < 0 || arrival < 0) return -1;
  return epoll_ctl(set, EPOLL_CTL_ADD, arrival, &event) == 0 || errno == EEXIST ? 0 : -1;
}

int vt_idle_descriptor(void) { return set; }

int vt_idle_wait(void) {
  struct epoll_event event; /* whom it names may be gone by now: it is asked for again under the lock */
  return epoll_wait(set, &event, 1, -1);
}

/* Where the user's epoll watches are used up it is taken into use at once: then it is polled. */
static void add(struct vt_docket *docket, bool expected) {
  struct epoll_event event = {.events = EPOLLIN, .data.ptr = docket};
  docket->idle = true;
  if (epoll_ctl(set, EPOLL_CTL_ADD, docket->listener, &event) == 0 && !expected) return;
  docket->newer = newcomers;
  newcomers = docket;
  eventfd_write(arrival, 1);
}

void vt_idle_add(struct vt_docket *docket) {
  pthread_mutex_lock(&lock);
  add(docket, false);
  pthread_mutex_unlock(&lock);
}

void vt_idle_add_new(struct vt_docket *docket) {
  pthread_mutex_lock(&lock);
  add(docket, calls_expected);
  pthread_mutex_unlock(&lock);
}

static void take_out(struct vt_docket *docket) {
  docket->idle = false;
  epoll_ctl(set, EPOLL_CTL_DEL, docket->listener, NULL);
  struct vt_docket **at = &newcomers;
  while (*at && *at != docket) at = &(*at)->newer;
  if (*at) *at = docket->newer;
}

struct vt_docket *vt_idle_take(bool *called) {
  struct epoll_event event;
  pthread_mutex_lock(&lock);
  struct vt_docket *docket = epoll_wait(set, &event, 1, 0) > 0 ? event.data.ptr : NULL; /* NULL: an arrival */
  if (docket) take_out(docket);
  pthread_mutex_unlock(&lock);
  if (docket) *called = (event.events & EPOLLIN) != 0;
  return docket;
}

struct vt_docket *vt_idle_take_new(void) {
  pthread_mutex_lock(&lock);
  struct vt_docket *docket = newcomers;
  if (docket) take_out(docket);
  pthread_mutex_unlock(&lock);
  return docket;
}

bool vt_idle_remove(struct vt_docket *docket) {
  pthread_mutex_lock(&lock);
  calls_expected = __atomic_load_n(&docket->called, __ATOMIC_RELAXED);
  bool was_idle = docket->idle;
  if (was_idle) take_out(docket);
  pthread_mutex_unlock(&lock);
  return was_idle;
}
