#define _GNU_SOURCE
#include "limits/checks.h"

#include <unistd.h>

#include "limits/disk_usage.h"

#define MS INT64_C(1000000)
#define LONGEST_PAUSE_NS (50 * MS)

const char *vt_limit_name(enum vt_limit limit) {
  static const char *const names[] = {
      [VT_LIMIT_NONE] = NULL,
      [VT_LIMIT_MEMORY] = "memory",
      [VT_LIMIT_CPU] = "cpu",
      [VT_LIMIT_PROCESSES] = "processes",
      [VT_LIMIT_PRIVATE_TMP] = "private_tmp",
      [VT_LIMIT_EPOLL_WATCHES] = "epoll_watches",
  };
  return names[limit];
}

static struct vt_reading over(void) { return (struct vt_reading){true, 0}; }

static struct vt_reading calm(int64_t least, int64_t wanted, int64_t most) {
  return (struct vt_reading){false, wanted < least ? least : wanted > most ? most : wanted};
}

int64_t vt_limit_pause(int64_t spent, int share) { return spent < LONGEST_PAUSE_NS / share ? spent * share : LONGEST_PAUSE_NS; }

/* No process fits into less than two pages, one of stack and one of data. */
static bool is_hopeless(uint64_t bytes) { return bytes < 2 * (uint64_t)sysconf(_SC_PAGESIZE); }

/* Assumes that memory fills at 8 GB/s (8 bytes per nanosecond) at most. */
static struct vt_reading read_memory(struct vt_limit_subject *subject) {
  uint64_t limit = subject->limits.memory_bytes;
  if (subject->kernel.over_memory) return over();
  uint64_t used = vt_usage_memory(&subject->memory, &subject->members, limit);
  return used > limit || is_hopeless(limit) ? over() : calm(1 * MS, (int64_t)((limit - used) / 8), 50 * MS);
}

/* Assumes that the command runs on all processors. */
static struct vt_reading read_cpu(struct vt_limit_subject *subject) {
  uint64_t second = (uint64_t)sysconf(_SC_CLK_TCK), limit = subject->limits.cpu_seconds * second;
  uint64_t used = vt_usage_cpu(&subject->cpu, &subject->members);
  uint64_t told = subject->kernel.cpu_microseconds * second / 1000000;
  if (told > used) used = told;
  if (used >= limit) return over();
  return calm(5 * MS, (int64_t)((limit - used) * 1000 / second) * MS / sysconf(_SC_NPROCESSORS_ONLN), 100 * MS);
}

/* In 10 ms one process can become a few hundred. */
static struct vt_reading read_processes(const struct vt_limit_subject *subject) {
  uint64_t limit = subject->limits.processes, count = (uint64_t)subject->members.found.count;
  if (subject->kernel.processes > count) count = subject->kernel.processes;
  return count > limit ? over() : calm(3 * MS, count > limit / 2 ? 3 * MS : 10 * MS, 10 * MS);
}

/* Assumes that a disk takes 2 GB/s at most; tmpfs is not much faster. */
int64_t vt_limit_tmp_calm(uint64_t left) { return calm(5 * MS, (int64_t)(left / 2), 200 * MS).calm; }

static struct vt_reading read_private_tmp(const struct vt_limit_subject *subject) {
  uint64_t limit = subject->limits.private_tmp_bytes;
  uint64_t used = vt_disk_usage((const char *const *)subject->directories, &subject->members, limit);
  return used > limit ? over() : (struct vt_reading){false, vt_limit_tmp_calm(limit - used)};
}

struct vt_reading vt_limit_check(struct vt_limit_subject *subject, enum vt_limit limit) {
  switch (limit) {
    case VT_LIMIT_MEMORY:
      return read_memory(subject);
    case VT_LIMIT_CPU:
      return read_cpu(subject);
    case VT_LIMIT_PROCESSES:
      return read_processes(subject);
    case VT_LIMIT_PRIVATE_TMP:
      return read_private_tmp(subject);
    case VT_LIMIT_EPOLL_WATCHES:
    case VT_LIMIT_NONE:
      break;
  }
  return calm(0, INT64_MAX, INT64_MAX);
}
