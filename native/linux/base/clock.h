/* The supervisor's clock: CLOCK_MONOTONIC in milliseconds. */
#pragma once

#include <stdint.h>
#include <time.h>

static inline int64_t vt_now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}
