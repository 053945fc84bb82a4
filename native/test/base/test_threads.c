/* Threads have their name from the beginning, and end as they like. */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/prctl.h>

#include "base/threads.h"
#include "test/check.h"

enum { THREADS = 500 };

static int begun, named;

/* The first thing that it does is to look. */
static void *look_at_name(void *context) {
  char name[16];
  prctl(PR_GET_NAME, name);
  if (strcmp(name, context) == 0) __atomic_add_fetch(&named, 1, __ATOMIC_RELEASE);
  __atomic_add_fetch(&begun, 1, __ATOMIC_RELEASE);
  return NULL;
}

/* Their creator cannot do it: it may run again after their end. */
static void names_detached_threads(void) {
  for (int at = 0; at < THREADS; at++) {
    CHECK(vt_thread_try("vitrine-test", look_at_name, (void *)"vitrine-test") == 0, "errno %d", errno);
    while (__atomic_load_n(&begun, __ATOMIC_ACQUIRE) <= at) poll(NULL, 0, 1);
  }
  CHECK(named == THREADS, "%d of %d", named, THREADS);
}

static void waits_for_a_thread(void) {
  int before = named;
  CHECK(vt_thread_run("vitrine-run", look_at_name, (void *)"vitrine-run") == 0, "errno %d", errno);
  CHECK(named == before + 1, "it has not ended, or has no name");
}

int main(void) {
  names_detached_threads();
  waits_for_a_thread();
  return finish("threads name themselves");
}
