/* Finds and kills the processes of a session: for the supervisor, and for the watcher, which has no libc. */
#pragma once

#include "base/raw_syscalls.h"

typedef int (*vt_sweep_visit)(void *context, int pid);

static inline int sweep_number(const char *digits) {
  int value = 0;
  while (*digits >= '0' && *digits <= '9') value = value * 10 + *digits++ - '0';
  return value;
}

/* Calls `found` for each process in an open /proc, ascending; returns the sum. */
static inline int sweep_listed(long proc, void *context, vt_sweep_visit found) {
  char entries[8192] __attribute__((aligned(8)));
  int sum = 0;
  call3(__NR_lseek, proc, 0, SEEK_TO);
  for (long length; (length = call3(__NR_getdents64, proc, (long)entries, sizeof entries)) > 0;)
    for (long at = 0; at < length;) {
      const struct entry *entry = (const void *)(entries + at);
      at += entry->length;
      if (entry->name[0] >= '1' && entry->name[0] <= '9') sum += found(context, sweep_number(entry->name));
    }
  return sum;
}

/* The same for every possible process id: hidepid (proc(5)) hides processes that are not dumpable. */
static inline int sweep_every_id(void *context, vt_sweep_visit found) {
  char text[16] = "";
  long fd = call3(__NR_openat, CWD, (long)"/proc/sys/kernel/pid_max", READ_ONLY);
  if (fd >= 0) call3(__NR_read, fd, (long)text, sizeof text - 1);
  if (fd >= 0) call1(__NR_close, fd);
  int last = sweep_number(text), sum = 0;
  if (last <= 0) last = 4 * 1024 * 1024; /* PID_MAX_LIMIT, linux/threads.h */
  for (int pid = 2; pid <= last; pid++) sum += found(context, pid);
  return sum;
}

/* Whether hidepid (proc(5)) may hide processes: /proc/1 is then closed. Needs no free descriptor. */
static inline int sweep_is_blind(void) { return call3(__NR_faccessat, CWD, (long)"/proc/1/stat", MAY_READ) != 0; }

/* A pidfd is readable once all threads have ended (pidfd_open(2)); the state in /proc is that of the first thread only. */
static inline int sweep_has_ended(long pidfd) {
  struct poll_entry polled = {(int)pidfd, READABLE, 0};
  struct pause none = {0, 0};
  return call(__NR_ppoll, (long)&polled, 1, (long)&none, 0, 0, 0) != 0;
}

/* The whole group at once: a fork bomb must not outrun the sweep. A group is within one session (credentials(7)): its leader
 * proves which. */
static inline void sweep_kill_group(int pid) {
  long group = call1(__NR_getpgid, pid), session = call1(__NR_getsid, pid);
  if (group > 1 && group != call1(__NR_getpgid, 0) && session > 0 && call1(__NR_getsid, group) == session)
    call2(__NR_kill, -group, SIGNAL_KILL);
}

/* Returns 1 if it killed a live member. The second check, with the pidfd open, proves that it is one. Without a free descriptor
 * (ENFILE) it kills by number. */
static inline int sweep_kill(int pid, void *context, vt_sweep_visit is_member) {
  if (!is_member(context, pid)) return 0;
  long pidfd = call2(NR_PIDFD_OPEN, pid, 0);
  if (pidfd == NO_SUCH_PROCESS) return 0;
  int found = is_member(context, pid) && (pidfd < 0 || !sweep_has_ended(pidfd));
  if (found) {
    sweep_kill_group(pid);
    if (pidfd >= 0) call4(NR_PIDFD_SEND_SIGNAL, pidfd, SIGNAL_KILL, 0, 0);
    else call2(__NR_kill, pid, SIGNAL_KILL);
  }
  if (pidfd >= 0) call1(__NR_close, pidfd);
  return found;
}
