/* vt_now(): CLOCK_MONOTONIC in milliseconds. */
#pragma once

#include <stdint.h>
#include <time.h>

static inline int64_t vt_nanoseconds(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static inline int64_t vt_now(void) { return vt_nanoseconds(CLOCK_MONOTONIC) / 1000000; }
