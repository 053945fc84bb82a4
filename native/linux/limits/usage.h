#pragma once

#include <stdint.h>

#include "limits/process_set.h"
#include "limits/unlinked_files.h"

/* A memfd takes memory without being mapped. Finding memfds is slow, so it is done less often. */
struct vt_memory {
  struct vt_unlinked_files *files;
  int64_t due;               /* monotonic nanoseconds */
};

/* Anonymous, swapped and shared memory, no page cache; of shared memory and memfds the larger, because mapped memfds are in both.
 * Counts shared pages several times; above `limit` proportional shares replace that. */
uint64_t vt_usage_memory(struct vt_memory *memory, const struct vt_process_set *members, uint64_t limit);

/* Ticks of sysconf(_SC_CLK_TCK). */
struct vt_seen {
  pid_t pid;
  uint64_t start; /* tells it from a later process with the same pid */
  uint64_t own, waited; /* waited: of children that it waited for */
};

struct vt_cpu {
  struct vt_seen *seen;
  int count;
  uint64_t lost;      /* of ended processes that no member waited for */
  uint64_t lost_last;
};

/* Ticks of living and ended members. Never too many; misses a process that started and ended between two calls unwaited. */
uint64_t vt_usage_cpu(struct vt_cpu *cpu, const struct vt_process_set *members);
