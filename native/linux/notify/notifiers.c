#define _GNU_SOURCE
#include "notify/notifiers.h"

#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "base/command.h"
#include "base/basics.h"
#include "base/threads.h"
#include "confine/probe.h"
#include "notify/caller/caller.h"
#include "notify/dispatch.h"

enum { MOST_IDLE = 4 };

struct notifier {
  struct notifier *next; /* in the list of idle ones */
  pthread_cond_t called; /* to duty */
  struct vt_listener *first; /* a reference, to be answered before any duty; NULL: none */
  bool apart;            /* it has a descriptor table of its own */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* for all below, and for `idle` of listeners */
static struct notifier *idle, *on_duty;
static int idle_count;
static int set = -1; /* epoll: the listeners without a call so far, each with a reference. One that is taken is disabled there. */

static void *serve(void *context);

static struct notifier *start_one(struct vt_listener *first) {
  struct notifier *notifier = vt_must(calloc(1, sizeof *notifier));
  notifier->first = first;
  pthread_cond_init(&notifier->called, NULL);
  if (vt_thread_try("vitrine-notify", serve, notifier) == 0) return notifier;
  free(notifier);
  return NULL;
}

/* Under the lock. Without a thread the next command tries again, and the first notifier that is done. */
static void put_on_duty(void) {
  on_duty = idle;
  if (!on_duty) {
    on_duty = start_one(NULL);
    return;
  }
  idle = on_duty->next;
  idle_count--;
  pthread_cond_signal(&on_duty->called);
}

/* False: there are enough without it. */
static bool await_duty(struct notifier *self) {
  pthread_mutex_lock(&lock);
  if (!on_duty) on_duty = self;
  bool stays = on_duty == self || idle_count < MOST_IDLE;
  if (stays && on_duty != self) self->next = idle, idle = self, idle_count++;
  while (stays && on_duty != self) pthread_cond_wait(&self->called, &lock);
  pthread_mutex_unlock(&lock);
  return stays;
}

/* Under the lock. NULL: none has called; one that has hung up stays until it is removed. */
static struct vt_listener *take(void) {
  struct epoll_event event;
  if (epoll_wait(set, &event, 1, 0) <= 0 || !(event.events & EPOLLIN)) return NULL;
  struct vt_listener *listener = event.data.ptr;
  listener->idle = false;
  return listener;
}

/* With its reference. Another notifier takes over the duty, unless a server has to answer. */
static struct vt_listener *await_call(void) {
  struct pollfd polled = {set, POLLIN, 0};
  struct vt_listener *listener = NULL;
  while (!listener) {
    poll(&polled, 1, -1);
    pthread_mutex_lock(&lock);
    listener = take();
    if (listener && !listener->server) put_on_duty();
    pthread_mutex_unlock(&lock);
  }
  return listener;
}

/* Without a free descriptor in the system the calls wait. -1: the command has ended meanwhile. */
static int take_descriptor(struct vt_listener *listener) {
  int fd;
  while ((fd = vt_borrow_listener(listener)) < 0 && !vt_listener_is_closed(listener)) usleep(10000);
  return fd;
}

/* The last reference closes descriptors of the host, which are not in this thread's table. */
static void answer_apart(struct vt_listener *listener) {
  int fd = take_descriptor(listener);
  if (fd >= 0) vt_dispatch_all(listener, fd, true);
  if (fd >= 0) close(fd);
  vt_listener_leave(listener);
}

static void answer(const struct notifier *self, struct vt_listener *listener) {
  if (self->apart) return answer_apart(listener);
  vt_dispatch_all(listener, listener->fd, false);
  vt_listener_release(listener);
}

/* Where pidfd_getfd(2) is blocked, no descriptor can be borrowed, and none of the host's is endangered. */
static void separate_table(struct notifier *self) {
  int kept[] = {vt_mailbox_open(), set}; /* the first to wake the supervisor */
  self->apart = !vt_probe()->getfd_errno && vt_borrow_table_of(kept, 2) == 0;
}

static void *serve(void *context) {
  struct notifier *self = context;
  separate_table(self);
  if (self->first) answer(self, self->first);
  while (await_duty(self)) {
    struct vt_listener *listener = await_call();
    while (listener->server) {
      vt_workspace_server_serve(listener);
      listener = await_call();
    }
    answer(self, listener);
  }
  pthread_cond_destroy(&self->called);
  free(self);
  return NULL;
}

static int start(void) {
  if (set < 0) set = epoll_create1(EPOLL_CLOEXEC);
  if (set < 0) return -1;
  pthread_mutex_lock(&lock);
  put_on_duty();
  bool started = on_duty;
  pthread_mutex_unlock(&lock);
  return started ? 0 : -1;
}

int vt_notifier_ready(void) {
  static struct vt_once once = VT_ONCE;
  return vt_start_once(&once, start);
}

/* Without free epoll watches (a limit per user) a thread takes it at once. */
static bool add_unwatched(struct vt_listener *listener) {
  listener->idle = false;
  if (listener->server) return vt_workspace_server_serve(listener), true;
  if (start_one(listener)) return true;
  vt_listener_release(listener);
  return false;
}

bool vt_notifier_add(struct vt_listener *listener) {
  struct epoll_event event = {.events = EPOLLIN | EPOLLONESHOT, .data.ptr = listener};
  vt_listener_retain(listener);
  pthread_mutex_lock(&lock);
  listener->idle = true;
  bool watched = epoll_ctl(set, EPOLL_CTL_ADD, listener->fd, &event) == 0;
  if (!on_duty) put_on_duty();
  pthread_mutex_unlock(&lock);
  return watched || add_unwatched(listener);
}

void vt_notifier_remove(struct vt_listener *listener) {
  pthread_mutex_lock(&lock);
  bool was_idle = listener->idle;
  listener->idle = false;
  epoll_ctl(set, EPOLL_CTL_DEL, listener->fd, NULL);
  pthread_mutex_unlock(&lock);
  if (!was_idle) return;
  if (listener->server) vt_workspace_server_return(listener->server);
  vt_listener_release(listener);
}
