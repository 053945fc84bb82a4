/* Memory and processor time of processes, from /proc. */
#pragma once

#include <stdint.h>

#include "limits/process_set.h"
#include "limits/unlinked_files.h"

/* A memfd takes memory without being mapped. Finding memfds is slower than the other readings, so it is done less often. */
struct vt_memory {
  struct vt_unlinked_files *files; /* NULL before the first scan */
  int64_t due;               /* monotonic nanoseconds */
};

/*
 * Bytes of anonymous, swapped and shared memory of the members, without page cache. Of shared memory and memfds the larger sum
 * counts, since a mapped memfd is in both. Adding up what each member maps counts shared pages several times, so a sum above
 * `limit` is replaced by one of proportional shares.
 */
uint64_t vt_usage_memory(struct vt_memory *memory, const struct vt_process_set *members, uint64_t limit);

/* Processor time of one process, in ticks of sysconf(_SC_CLK_TCK). */
struct vt_seen {
  pid_t pid;
  uint64_t start; /* tells it from a later process with the same pid */
  uint64_t own, waited; /* waited: of children that it waited for */
};

struct vt_cpu {
  struct vt_seen *seen;
  int count;
  uint64_t lost;      /* ticks of processes that ended and were not waited for by a member */
  uint64_t lost_last; /* the part added by the last call */
};

/* Ticks used by the members and by members that have ended. Never too many; misses a process that started and ended between two
 * calls and was not waited for. */
uint64_t vt_usage_cpu(struct vt_cpu *cpu, const struct vt_process_set *members);
