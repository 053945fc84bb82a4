#define _GNU_SOURCE
#include "base/threads.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <time.h>

enum { STACK_BYTES = 256 * 1024 };

static int start(pthread_t *thread, int kind, const char *name, void *(*run)(void *), void *context) {
  sigset_t all, before;
  pthread_attr_t attributes;
  /* A thread inherits its creator's mask. All signals are blocked: the host's go to the host's own threads. */
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, STACK_BYTES);
  pthread_attr_setdetachstate(&attributes, kind);
  int error = pthread_create(thread, &attributes, run, context);
  pthread_attr_destroy(&attributes);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (!error) pthread_setname_np(*thread, name);
  return error;
}

int vt_thread_try(const char *name, void *(*run)(void *), void *context) {
  pthread_t thread;
  errno = start(&thread, PTHREAD_CREATE_DETACHED, name, run, context);
  return errno ? -1 : 0;
}

int vt_thread_run(const char *name, void *(*run)(void *), void *context) {
  pthread_t thread;
  int error = start(&thread, PTHREAD_CREATE_JOINABLE, name, run, context);
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
