#define _GNU_SOURCE
#include "notify/handlers/flock_wait.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/clock.h"
#include "notify/notification.h"
#include "base/mailbox.h"
#include "base/memory.h"
#include "notify/handlers/private_gate.h"
#include "base/procfs.h"
#include "notify/reply.h"
#include "notify/caller/borrow_fd.h"
#include "base/threads.h"

/* Shortest and longest pause (milliseconds); most waiting calls of a command: each holds two descriptors. */
enum { FIRST_PAUSE_MS = 1, LAST_PAUSE_MS = 32, MOST_OF_ONE = 64 };

/* linux/errno.h: ERESTARTSYS. Restarts the call if the signal has no handler, or one with SA_RESTART (signal(7)); never
 * visible to a program with a pending signal. */
enum { RESTART = 512 };

struct waiter {
  struct waiter *next;
  struct vt_listener *listener; /* a reference */
  uint64_t id;              /* of the notification */
  struct vt_caller caller;
  int number, operation;    /* arguments of flock(2) */
  int listener_fd, fd;         /* in the thread's own table; -1: not taken yet */
  int64_t due, pause;
  bool signal_seen;         /* the last try saw a process-directed signal, which another thread may take */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t arrival;
static struct waiter *arrivals; /* under the lock, newest first */
static struct waiter *finished; /* under the lock */
static struct waiter *waiting;  /* used by the thread only, oldest first */

static bool still_waits(const struct waiter *waiter) {
  return vt_call_still_waits(waiter->listener_fd, waiter->id);
}

static bool answer(const struct waiter *waiter, int error) {
  return vt_end_call(waiter->listener_fd, waiter->id, error);
}

/*
 * Once received, a call is interrupted only by deadly signals (SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV), so this looks for
 * other pending ones (proc_pid_status(5)). A signal to the thread, or to a process with one thread, cannot be taken by
 * another thread; one to a larger process counts at the second look. Deadly ones reach each thread (complete_signal(),
 * kernel/signal.c). 0: none.
 */
int vt_wait_interruption(pid_t thread, bool *seen) {
  char status[8192];
  vt_procfs_read(thread, "status", status, sizeof status);
  uint64_t open = ~vt_bits_after(status, "\nSigBlk:");
  uint64_t own = vt_bits_after(status, "\nSigPnd:") & open, shared = vt_bits_after(status, "\nShdPnd:") & open;
  if (own || (shared && vt_number_after(status, "\nThreads:") == 1)) return RESTART;
  bool again = shared && *seen;
  *seen = shared != 0;
  return again ? EINTR : 0;
}

static bool again_later(struct waiter *waiter) {
  waiter->due = vt_now() + waiter->pause;
  if (waiter->pause < LAST_PAUSE_MS) waiter->pause *= 2;
  return false;
}

/* Another thread may have replaced the descriptor since the check: the borrowed one is checked, and kept. */
static bool take_file(struct waiter *waiter) {
  waiter->fd = vt_borrow_descriptor(&waiter->caller, waiter->number);
  return waiter->fd >= 0 && still_waits(waiter) && vt_is_private(waiter->listener, waiter->fd);
}

/* Tries once; true if this waiter is done. A killed caller gets no lock, and an undeliverable reply releases it: others may
 * share the open file. */
static bool try(struct waiter *waiter) {
  bool is_new = waiter->listener_fd < 0;
  if (is_new) waiter->listener_fd = vt_borrow_listener(waiter->listener);
  if (waiter->listener_fd < 0) return again_later(waiter); /* no descriptor left: cannot even reply */
  int error = is_new ? 0 : vt_wait_interruption(waiter->caller.thread, &waiter->signal_seen);
  if (!still_waits(waiter)) return true;
  if (is_new && !take_file(waiter)) error = EINTR;
  if (error) return answer(waiter, error), true;
  if (flock(waiter->fd, waiter->operation | LOCK_NB) == 0) {
    if (!answer(waiter, 0)) flock(waiter->fd, LOCK_UN);
    return true;
  }
  if (errno == EWOULDBLOCK) return again_later(waiter);
  return answer(waiter, errno), true;
}

static void end(struct waiter *waiter) {
  if (waiter->fd >= 0) close(waiter->fd);
  if (waiter->listener_fd >= 0) close(waiter->listener_fd);
  __atomic_sub_fetch(&waiter->listener->waiting, 1, __ATOMIC_RELAXED);
  pthread_mutex_lock(&lock);
  waiter->next = finished;
  finished = waiter;
  pthread_mutex_unlock(&lock);
  vt_mailbox_wake();
}

void vt_flock_wait_reap(void) {
  pthread_mutex_lock(&lock);
  struct waiter *waiter = finished;
  finished = NULL;
  pthread_mutex_unlock(&lock);
  for (struct waiter *next; waiter; waiter = next) {
    next = waiter->next;
    vt_listener_release(waiter->listener);
    free(waiter);
  }
}

static void try_all(void) {
  int64_t now = vt_now();
  for (struct waiter **at = &waiting; *at;) {
    struct waiter *waiter = *at;
    if (waiter->due > now || !try(waiter)) {
      at = &waiter->next;
      continue;
    }
    *at = waiter->next;
    end(waiter);
  }
}

/* Appends the arrivals, oldest first, to the waiting calls. */
static void admit_arrivals(void) {
  struct waiter **last = &waiting, *first = NULL;
  while (*last) last = &(*last)->next;
  while (arrivals) {
    struct waiter *next = arrivals->next;
    arrivals->next = first;
    first = arrivals;
    arrivals = next;
  }
  *last = first;
}

static void wait_until_due(void) {
  int64_t due = waiting->due;
  for (const struct waiter *waiter = waiting; waiter; waiter = waiter->next)
    if (waiter->due < due) due = waiter->due;
  vt_condition_wait(&arrival, &lock, due * 1000000);
}

/* With its own descriptor table, as in caller/borrow_fd.c, its close() drops none of the host's locks. It tries without the mutex,
 * so that a hanging file system blocks no notifier. */
static void *serve(void *unused) {
  (void)unused;
  while (vt_borrow_separate_table()) sleep(1); /* no memory: the calls keep waiting */
  for (;;) {
    pthread_mutex_lock(&lock);
    if (!arrivals && waiting) wait_until_due();
    while (!arrivals && !waiting) pthread_cond_wait(&arrival, &lock);
    admit_arrivals();
    pthread_mutex_unlock(&lock);
    try_all();
  }
  return NULL;
}

static int start(void) {
  vt_condition_open(&arrival);
  return vt_thread_try("vitrine-locks", serve, NULL);
}

static bool has_room(struct vt_listener *listener) {
  if (__atomic_add_fetch(&listener->waiting, 1, __ATOMIC_RELAXED) <= MOST_OF_ONE) return true;
  __atomic_sub_fetch(&listener->waiting, 1, __ATOMIC_RELAXED);
  return false;
}

bool vt_flock_wait_add(const struct vt_notification *notification) {
  static struct vt_once once = VT_ONCE;
  struct vt_listener *listener = notification->listener;
  if (vt_start_once(&once, start) || !has_room(listener)) return false;
  struct waiter *waiter = vt_must(calloc(1, sizeof *waiter));
  *waiter = (struct waiter){
      .listener = listener,
      .id = notification->notif.id,
      .caller = notification->caller,
      .listener_fd = -1,
      .fd = -1,
      .number = (int)notification->notif.data.args[0],
      .operation = (int)notification->notif.data.args[1],
      .pause = FIRST_PAUSE_MS,
  };
  vt_listener_retain(listener);
  pthread_mutex_lock(&lock);
  waiter->next = arrivals;
  arrivals = waiter;
  pthread_cond_signal(&arrival);
  pthread_mutex_unlock(&lock);
  return true;
}
