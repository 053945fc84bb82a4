#define _GNU_SOURCE
#include "notify/notify_threads.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "notify/reply.h"
#include "base/clock.h"
#include "notify/idle_listeners.h"
#include "notify/dispatch.h"
#include "notify/workspace_server.h"
#include "base/memory.h"
#include "base/procfs.h"
#include "base/threads.h"

/* MOST_STUCK: lookups of one command that may hang. A command can make them hang as long as it lives: its memory cannot be read
 * while another of its threads changes the mappings. Its further calls are answered without a lookup, which leaves the other
 * notifiers to other commands. They are started as needed, and enough for some thirty such commands at once. */
enum { NOTIFIERS = 64, MOST_STUCK = 2, IDLE_MS = 100 };

enum state { READY, LOOKING, RELIEVED };

struct notifier {
  bool started;
  pid_t thread;              /* set by the thread itself before its first lookup */
  pthread_mutex_t lock;      /* for `state`; also held while replying */
  enum state state;
  int64_t since;             /* start of the lookup */
  int finished;              /* atomic: the lookup is done, only the lock is missing */
  struct vt_listener *listener;  /* a reference, during a lookup */
  struct vt_notification notification;
};

struct served {
  struct vt_listener *listener;
  int64_t last_call;
};

static struct notifier notifiers[NOTIFIERS] = {[0 ... NOTIFIERS - 1] = {.lock = PTHREAD_MUTEX_INITIALIZER}};
static pthread_mutex_t roster = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t relief = PTHREAD_COND_INITIALIZER;
static struct notifier *on_duty;

/* Idle listeners are in an epoll set, polled[0]. Those in use are polled directly, because epoll undoes the wake-up that
 * listener.c asks for: 24 us a call instead of 5. The tables belong to the notifier on duty. */
static struct served *served;
static struct pollfd *polled;
static int served_count, served_room;
static int active; /* atomic: served_count, for the supervisor */

static void *serve(void *self);

static bool is_spare(const struct notifier *notifier) {
  return notifier->started && notifier != on_duty &&
         __atomic_load_n(&notifier->state, __ATOMIC_ACQUIRE) != RELIEVED;
}

static struct notifier *spare(void) {
  for (int at = 0; at < NOTIFIERS; at++)
    if (is_spare(&notifiers[at])) return &notifiers[at];
  return NULL;
}

/* False: no thread can be started. */
static bool start_one(struct notifier *notifier) {
  bool started = vt_thread_try("vitrine-notify", serve, notifier) == 0;
  __atomic_store_n(&notifier->started, started, __ATOMIC_RELAXED); /* the supervisor reads it without the lock */
  return started;
}

/* Keeps one notifier in reserve. While no more can be started, the last one makes no lookups. */
static void reserve(void) {
  for (int at = 0; at < NOTIFIERS && !spare(); at++)
    if (!notifiers[at].started && !start_one(&notifiers[at])) return;
}

static bool is_last(void) {
  pthread_mutex_lock(&roster);
  reserve(); /* no thread could be started before, perhaps */
  bool last = !spare();
  pthread_mutex_unlock(&roster);
  return last;
}

static void relieve(void) {
  pthread_mutex_lock(&roster);
  on_duty = spare(); /* never NULL: the last notifier makes no lookups, so it cannot get stuck */
  reserve();
  pthread_cond_broadcast(&relief);
  pthread_mutex_unlock(&roster);
}

static void wait_for_duty(const struct notifier *self) {
  pthread_mutex_lock(&roster);
  while (on_duty != self) pthread_cond_wait(&relief, &roster);
  pthread_mutex_unlock(&roster);
}

static void make_room(void) {
  if (served_count < served_room) return;
  served_room = served_room ? served_room * 2 : 16;
  served = vt_must(realloc(served, (size_t)served_room * sizeof *served));
  polled = vt_must(realloc(polled, ((size_t)served_room + 1) * sizeof *polled));
}

static int start(void) {
  if (vt_idle_open()) return -1;
  make_room();
  polled[0] = (struct pollfd){vt_idle_descriptor(), POLLIN, 0};
  pthread_mutex_lock(&roster);
  on_duty = &notifiers[0];
  bool started = start_one(on_duty);
  if (started) reserve();
  pthread_mutex_unlock(&roster);
  return started ? 0 : -1;
}

int vt_notifier_ready(void) {
  static struct vt_once once = VT_ONCE;
  return vt_start_once(&once, start);
}

/* False: another notifier has taken over meanwhile. */
static bool receive(struct notifier *self, struct vt_listener *listener, bool last) {
  if (!vt_notification_receive(&self->notification, listener, listener->fd)) return true;
  pthread_mutex_lock(&self->lock);
  self->state = LOOKING;
  self->since = vt_now();
  __atomic_store_n(&self->finished, 0, __ATOMIC_RELAXED);
  self->listener = listener;
  vt_listener_retain(listener);
  pthread_mutex_unlock(&self->lock);
  if (last || __atomic_load_n(&listener->stuck, __ATOMIC_RELAXED) >= MOST_STUCK) vt_dispatch_without_lookup(&self->notification);
  else vt_dispatch(&self->notification);
  __atomic_store_n(&self->finished, 1, __ATOMIC_RELEASE);
  pthread_mutex_lock(&self->lock);
  bool relieved = self->state == RELIEVED;
  if (relieved) __atomic_sub_fetch(&listener->stuck, 1, __ATOMIC_RELAXED);
  else vt_reply(&self->notification);
  self->listener = NULL;
  __atomic_store_n(&self->state, READY, __ATOMIC_RELEASE);
  pthread_mutex_unlock(&self->lock);
  vt_listener_release(listener);
  return !relieved;
}

/* The supervisor watches lookups while any listener is in use. It notices that at its next turn: within 20 ms while the command runs
 * (vt_watches_due_in()), within 250 ms while its output is drained. A wake-up would take the caller's processor. */
static void start_serving(struct vt_listener *listener, int64_t now) {
  make_room();
  polled[served_count + 1] = (struct pollfd){listener->fd, POLLIN, 0};
  served[served_count++] = (struct served){listener, now};
  __atomic_store_n(&active, served_count, __ATOMIC_RELAXED);
}

/* To a workspace command's server. False: the notifiers answer. */
static bool is_handed_over(struct vt_listener *listener) {
  if (!listener->server) return false;
  vt_workspace_server_serve(listener);
  return true;
}

static struct vt_listener *stop_serving(int at) {
  struct vt_listener *listener = served[at].listener;
  served[at] = served[--served_count];
  polled[at + 1] = polled[served_count + 1];
  __atomic_store_n(&active, served_count, __ATOMIC_RELAXED);
  return listener;
}

static void let_idle_go(struct notifier *self, int64_t now) {
  for (int at = served_count - 1; at >= 0; at--)
    if (now - served[at].last_call >= IDLE_MS) vt_idle_add(stop_serving(at));
  if (served_count == 0) vt_caller_forget(&self->notification.known);
}

static bool serve_those_in_use(struct notifier *self, int64_t now, bool last) {
  for (int at = served_count - 1; at >= 0; at--) {
    short events = polled[at + 1].revents;
    if (events & POLLIN) {
      served[at].last_call = now;
      if (!receive(self, served[at].listener, last)) return false;
    } else if (events) {
      vt_listener_release(stop_serving(at)); /* hung up: no process is left under the filter */
    }
  }
  return true;
}

static void serve_newcomers(int64_t now) {
  for (struct vt_listener *listener; (listener = vt_idle_take_new());)
    if (!is_handed_over(listener)) start_serving(listener, now);
}

/* Only one: a relieving notifier must find the others in the set. False: see receive(). */
static bool serve_one_idle(struct notifier *self, int64_t now, bool last) {
  bool called = false;
  struct vt_listener *listener = vt_idle_take(&called);
  if (!listener) return true;
  if (!called) {
    vt_listener_release(listener); /* hung up */
    return true;
  }
  if (is_handed_over(listener)) return true;
  start_serving(listener, now);
  return receive(self, listener, last);
}

/* Waits for any listener. Returns whether an idle one has an event, or -1 and errno. */
static int wait_for_calls(void) {
  if (served_count == 0) return vt_idle_wait();
  return poll(polled, (nfds_t)served_count + 1, IDLE_MS) < 0 ? -1 : polled[0].revents != 0;
}

/* One call of each listener, so that none starves. False: relieved, and the tables belong to another notifier. */
static bool make_a_round(struct notifier *self) {
  int one_is_idle = wait_for_calls();
  if (one_is_idle < 0) return true; /* EINTR */
  int64_t now = vt_now();
  bool last = is_last();
  if (!serve_those_in_use(self, now, last)) return false;
  let_idle_go(self, now);
  serve_newcomers(now);
  return !one_is_idle || serve_one_idle(self, now, last);
}

static void *serve(void *context) {
  struct notifier *self = context;
  self->thread = gettid();
  for (;;) {
    wait_for_duty(self);
    while (make_a_round(self)) continue;
    vt_caller_forget(&self->notification.known);
  }
  return NULL;
}

void vt_notifier_add(struct vt_listener *listener) {
  vt_listener_retain(listener);
  vt_idle_add(listener);
}

void vt_notifier_remove(struct vt_listener *listener) {
  if (vt_idle_remove(listener)) vt_listener_release(listener);
}

bool vt_notifier_is_active(void) { return __atomic_load_n(&active, __ATOMIC_RELAXED) > 0; }

/* The stuck lookup still runs: only what the notifier has published may be read. */
static void answer_for(struct notifier *stuck) {
  static struct vt_notification notification; /* supervisor thread only */
  vt_notification_begin(&notification, &stuck->notification.notif, stuck->listener);
  if (__atomic_load_n(&stuck->notification.given_known, __ATOMIC_ACQUIRE)) {
    memcpy(notification.given, stuck->notification.given, sizeof notification.given);
    notification.given_known = true;
  }
  vt_dispatch_without_lookup(&notification);
  vt_reply(&notification);
  vt_caller_forget(&notification.known);
}

/* On a busy machine, or after the host was stopped, even lookups that do not sleep are late: refusing those would deny
 * /dev/null. A finished lookup sleeps too, on the lock that we hold, so `finished` is checked last. */
static bool is_stuck(const struct notifier *notifier) {
  if (notifier->state != LOOKING) return false;
  int most = __atomic_load_n(&notifier->notification.takes, __ATOMIC_RELAXED) ? VT_TAKE_MS : VT_LOOKUP_MS;
  int64_t looking = vt_now() - notifier->since;
  if (looking <= VT_LOOKUP_MOST_MS && (looking <= most || !vt_procfs_thread_sleeps(notifier->thread))) return false;
  return !__atomic_load_n(&notifier->finished, __ATOMIC_ACQUIRE);
}

static void relieve_if_stuck(struct notifier *notifier) {
  pthread_mutex_lock(&notifier->lock);
  if (is_stuck(notifier)) {
    answer_for(notifier);
    __atomic_add_fetch(&notifier->listener->stuck, 1, __ATOMIC_RELAXED);
    __atomic_store_n(&notifier->state, RELIEVED, __ATOMIC_RELEASE);
    relieve(); /* before unlocking: the relieved notifier must not find itself still on duty */
  }
  pthread_mutex_unlock(&notifier->lock);
}

void vt_notifier_watch(void) {
  if (!vt_notifier_is_active()) return;
  /* They start in order. */
  for (int at = 0; at < NOTIFIERS && __atomic_load_n(&notifiers[at].started, __ATOMIC_RELAXED); at++) relieve_if_stuck(&notifiers[at]);
}
