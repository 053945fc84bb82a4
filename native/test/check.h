/* The least a test program needs: checks that say what differed, and one line at the end. */
#pragma once

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned long vt_checks, vt_failures;

/* The first failures are told, the others only counted: a wrong rule fails thousands of samples. */
#define CHECK(condition, ...) \
  do { \
    vt_checks++; \
    if (!(condition) && vt_failures++ < 20) { \
      fprintf(stderr, "  %s:%d: %s: ", __FILE__, __LINE__, #condition); \
      fprintf(stderr, __VA_ARGS__); \
      fputc('\n', stderr); \
    } \
  } while (0)

/* Whether a command failed at that step. */
static inline int is_step(const char *failed, const char *step) { return failed && strcmp(failed, step) == 0; }

static inline int finish(const char *name) {
  printf("%s: %lu checks, %lu failed\n", name, vt_checks, vt_failures);
  return vt_failures == 0 && vt_checks > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
