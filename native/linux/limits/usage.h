#pragma once

#include <stdint.h>

#include "limits/process_set.h"

/* Memfds take memory without being mapped. Finding them is slow, thus rarer. */
struct vt_memory {
  uint64_t in_files;
  int64_t due; /* monotonic nanoseconds: of the next search for memfds */
};

/* Anonymous, swapped and shared memory, no page cache; of shared memory and memfds the larger: mapped memfds are in both. Shared
 * pages count several times, but proportionally once that exceeds `limit`. */
uint64_t vt_usage_memory(struct vt_memory *memory, const struct vt_process_set *members, uint64_t limit);

/* Ticks of sysconf(_SC_CLK_TCK). */
struct vt_seen {
  pid_t pid;
  uint64_t start; /* tells it from a later one with this pid */
  uint64_t own, waited; /* waited: its children's */
};

struct vt_cpu {
  struct vt_seen *seen;
  int count;
  uint64_t lost;      /* of ended processes that no member waited for */
  uint64_t lost_last;
};

/* Ticks of living and ended members. A lower bound: misses a process that lived between two calls and was not waited for. */
uint64_t vt_usage_cpu(struct vt_cpu *cpu, const struct vt_process_set *members);
