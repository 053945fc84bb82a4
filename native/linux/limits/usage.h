/* What processes use, as /proc tells it. */
#pragma once

#include <stdint.h>

#include "limits/process_set.h"
#include "limits/unlinked_files.h"

/* Files in memory need no mapping to hold some. Looking for them takes longer than the rest: it is done more seldom. */
struct vt_memory {
  struct vt_unlinked_files *files; /* NULL: not looked for yet */
  int64_t due;               /* monotonic nanoseconds */
};

/*
 * Memory that the members alone hold: anonymous and shared memory, swapped or not; files in the page cache are not theirs.
 * Of shared memory and files in memory the larger sum counts, for one can be the other.
 * The sum of what each maps counts shared pages several times, so it is believed only when it is not over `limit`: else
 * shared pages are counted by their share.
 */
uint64_t vt_usage_memory(struct vt_memory *memory, const struct vt_process_set *members, uint64_t limit);

/* One process as it was seen. Ticks of sysconf(_SC_CLK_TCK). */
struct vt_seen {
  pid_t pid;
  uint64_t start; /* tells it from a later one of the same number */
  uint64_t own, waited;
};

struct vt_cpu {
  struct vt_seen *seen;
  int count;
  uint64_t lost;      /* of those who ended and were waited for by nobody */
  uint64_t lost_last; /* the part of it that the last look found */
};

/* Ticks that the members, and those who have ended, have run. Never more than it was: what lived and ended between two
 * looks with nobody to wait for it is missing. */
uint64_t vt_usage_cpu(struct vt_cpu *cpu, const struct vt_process_set *members);
