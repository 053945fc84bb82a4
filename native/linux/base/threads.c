#define _GNU_SOURCE
#include "base/threads.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <time.h>

enum { STACK_BYTES = 256 * 1024 };

struct work {
  const char *name;
  void *(*run)(void *);
  void *context;
};

/* It names itself: a detached thread may end, and its pthread_t with it, before its creator could. */
static void *run_named(void *context) {
  struct work work = *(struct work *)context;
  free(context);
  prctl(PR_SET_NAME, work.name);
  return work.run(work.context);
}

static int start(pthread_t *thread, int kind, struct work wanted) {
  sigset_t all, before;
  struct work *work = malloc(sizeof *work);
  if (!work) return ENOMEM;
  *work = wanted;
  pthread_attr_t attributes;
  /* Inherited by the thread: the host's signals go to its own threads. */
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, STACK_BYTES);
  pthread_attr_setdetachstate(&attributes, kind);
  int error = pthread_create(thread, &attributes, run_named, work);
  pthread_attr_destroy(&attributes);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (error) free(work);
  return error;
}

int vt_thread_try(const char *name, void *(*run)(void *), void *context) {
  pthread_t thread;
  errno = start(&thread, PTHREAD_CREATE_DETACHED, (struct work){name, run, context});
  return errno ? -1 : 0;
}

int vt_thread_run(const char *name, void *(*run)(void *), void *context) {
  pthread_t thread;
  int error = start(&thread, PTHREAD_CREATE_JOINABLE, (struct work){name, run, context});
  if (!error) error = pthread_join(thread, NULL);
  errno = error;
  return error ? -1 : 0;
}

void vt_condition_open(pthread_cond_t *condition) {
  pthread_condattr_t attributes;
  pthread_condattr_init(&attributes);
  pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
  pthread_cond_init(condition, &attributes);
  pthread_condattr_destroy(&attributes);
}

void vt_condition_wait(pthread_cond_t *condition, pthread_mutex_t *lock, int64_t until) {
  struct timespec time = {.tv_sec = until / 1000000000, .tv_nsec = until % 1000000000};
  pthread_cond_timedwait(condition, lock, &time);
}

int vt_start_once(struct vt_once *once, int (*start_it)(void)) {
  pthread_mutex_lock(&once->lock);
  if (!once->started) once->started = start_it() == 0;
  int failed = once->started ? 0 : -1;
  pthread_mutex_unlock(&once->lock);
  return failed;
}
