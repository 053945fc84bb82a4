/* Native threads, with all signals blocked. */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

/* Starts a detached thread. Returns 0, or -1 with errno. */
int vt_thread_try(const char *name, void *(*run)(void *), void *context);

/* Runs `run` in a thread of its own and waits for its end. Returns 0, or -1 with errno. */
int vt_thread_run(const char *name, void *(*run)(void *), void *context);

/* A condition on CLOCK_MONOTONIC, and a wait on it until that time in nanoseconds. */
void vt_condition_open(pthread_cond_t *condition);
void vt_condition_wait(pthread_cond_t *condition, pthread_mutex_t *lock, int64_t until);

/* A one-time start; after a failure the next caller tries again. */
struct vt_once {
  pthread_mutex_t lock;
  bool started;
};
#define VT_ONCE {PTHREAD_MUTEX_INITIALIZER, false}

/* Returns 0 once started, or -1 with the errno of `start`. */
int vt_start_once(struct vt_once *once, int (*start)(void));
