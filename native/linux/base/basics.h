/* Memory that must be had, and the time. Without the memory a call would stay unanswered, output be lost, or a rule or limit be
 * missing. */
#pragma once

#include <stdint.h>
#include <stdlib.h>
#include <time.h>

static inline void *vt_must(void *memory) {
  if (!memory) abort();
  return memory;
}

static inline int64_t vt_nanoseconds(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

/* CLOCK_MONOTONIC in milliseconds. */
static inline int64_t vt_now(void) { return vt_nanoseconds(CLOCK_MONOTONIC) / 1000000; }
