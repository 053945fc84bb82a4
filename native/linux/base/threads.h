/* The native threads: they take no signals, and all but the last kind live as long as the process. */
#pragma once

#include <pthread.h>
#include <stdbool.h>

/* Starts a thread that never ends: 0, or -1 with errno when the system has none left. */
int vt_thread_try(const char *name, void *(*run)(void *), void *context);

/* Starts one and waits for its end: 0, or -1 with errno. */
int vt_thread_run(const char *name, void *(*run)(void *), void *context);

/* What is started once; a start that failed is tried again by whoever comes next. */
struct vt_once {
  pthread_mutex_t lock;
  bool started;
};
#define VT_ONCE {PTHREAD_MUTEX_INITIALIZER, false}

/* 0 when it stands, or -1 with the errno of `start`. */
int vt_start_once(struct vt_once *once, int (*start)(void));
