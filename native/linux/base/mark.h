/*
 * The mark of a command's processes: a hard RLIMIT_LOCKS, which Linux has not used since 2.4.25. Forks and programs inherit it, the
 * command's filter keeps it from being changed, and it can be read of every process of the same user, also of one that has ended and is
 * not reaped (prlimit(2)). So it tells whose a process is, whatever session, group, parent, name or environment it has. For the
 * supervisor, and for the watcher, which has no libc.
 */
#pragma once

#include "base/raw_syscalls.h"

enum { MARKED_LIMIT = 10 }; /* RLIMIT_LOCKS, asm-generic/resource.h */

/* The highest bit of a mark; a limit set elsewhere is lower. Bit 0 is not part of the mark: it is cleared in a process that has
 * entered a Landlock domain of its own (notify/caller/own_sandbox.c). */
#define MARK_TOP (1ull << 61)
#define MARK_UNBOUND 1ull

struct mark_limit {
  uint64_t now, most;
};

/* Unique: `host` is random (watch_table.h). */
static inline uint64_t mark_make(uint64_t host, uint32_t command) { return MARK_TOP | ((host + 2ull * command) & (MARK_TOP - 2)); }

/* 0: unmarked, gone, or another user's. Process 0 is the caller. */
static inline uint64_t mark_limit_of(int pid) {
  struct mark_limit limit = {0, 0};
  long failed = call4(__NR_prlimit64, pid, MARKED_LIMIT, 0, (long)&limit);
  return !failed && limit.most / MARK_TOP == 1 ? limit.most : 0;
}

static inline uint64_t mark_of(int pid) { return mark_limit_of(pid) & ~MARK_UNBOUND; }

/* `mark` 0: the command has none, and its processes cannot leave its session. */
static inline int mark_tells(uint64_t mark, int session, int pid) {
  return mark ? mark_of(pid) == mark : call1(__NR_getsid, pid) == session;
}
