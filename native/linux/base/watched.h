/* What the supervisor and the watcher, which has no libc, have in common: raw system calls, the memory that both see, the mark of a
 * command's processes, and the sweep. */
#pragma once

#include <asm/unistd.h>
#include <stddef.h>
#include <stdint.h>

#include "base/kernel.h"

/* asm-generic/{fcntl,poll,mman-common,mman,signal,errno-base}.h, linux/fs.h; R_OK of access(2) */
enum { CWD = -100, READ_ONLY = 0, WRITE_ONLY = 1, READABLE = 1, MAP_SHARED_PAGES = 1, PROTECT_READ = 1 };
enum { MAY_READ = 4, LOCK_CURRENT = 1, LOCK_FUTURE = 2, SEEK_TO = 0, NO_SUCH_PROCESS = -3 };
enum { SIGNAL_KILL = 9, REMOVE_DIRECTORY = 0x200 };
#if defined(__aarch64__)
enum { DIRECTORY_FLAG = 040000 }; /* asm/fcntl.h of arm64 */
#else
enum { DIRECTORY_FLAG = 0200000 };
#endif

struct poll_entry {
  int fd;
  short wanted, seen;
};

struct pause {
  long seconds, nanoseconds;
};

static inline long call(long number, long a, long b, long c, long d, long e, long f) {
#if defined(__x86_64__)
  long result;
  register long r10 __asm__("r10") = d, r8 __asm__("r8") = e, r9 __asm__("r9") = f;
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                   : "rcx", "r11", "memory");
  return result;
#elif defined(__aarch64__)
  register long x8 __asm__("x8") = number, x0 __asm__("x0") = a, x1 __asm__("x1") = b, x2 __asm__("x2") = c;
  register long x3 __asm__("x3") = d, x4 __asm__("x4") = e, x5 __asm__("x5") = f;
  __asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5) : "memory");
  return x0;
#else
#error "the watcher knows x86_64 and aarch64"
#endif
}

static inline long call1(long number, long a) { return call(number, a, 0, 0, 0, 0, 0); }
static inline long call2(long number, long a, long b) { return call(number, a, b, 0, 0, 0, 0); }
static inline long call3(long number, long a, long b, long c) { return call(number, a, b, c, 0, 0, 0); }
static inline long call4(long number, long a, long b, long c, long d) { return call(number, a, b, c, d, 0, 0); }

/* Reads `count` lower-case hexadecimal digits; 0 on any other character. */
static inline uint64_t hexadecimal(const char *digits, int count) {
  uint64_t value = 0;
  for (; count > 0; count--, digits++) {
    int digit = *digits >= '0' && *digits <= '9' ? *digits - '0' : *digits >= 'a' && *digits <= 'f' ? *digits - 'a' + 10 : -1;
    if (digit < 0) return 0;
    value = value << 4 | (uint64_t)digit;
  }
  return value;
}

enum { VT_WATCH_TABLE_SLOTS = 4096 };

/* One running command. Its leader writes `session` before it can start another process. */
struct vt_watch_slot {
  volatile int32_t session; /* 0: free; -1: taken, no session yet */
  volatile uint32_t cookie; /* 0: none */
  volatile uint32_t cgroup; /* the id of a command with a cgroup; 0: none */
  volatile uint64_t mark;   /* 0: none */
};

struct vt_watch_table {
  uint64_t host; /* random; in marks, cookies and names of cgroups */
  struct vt_watch_slot commands[VT_WATCH_TABLE_SLOTS];
};

/* Followed by the host in hexadecimal digits, a dash, the command. */
#define VT_COOKIE_NAME "VITRINE_COMMAND="
enum { VT_COOKIE_HOST_DIGITS = 16, VT_COOKIE_COMMAND_DIGITS = 8 };

/* Followed by the host's process id, a dash, host and command as in a cookie. */
#define VT_CGROUP_PREFIX "vitrine-"

/*
 * The mark of a command's processes: a hard RLIMIT_LOCKS, which Linux has not used since 2.4.25. Forks and programs inherit it, the
 * command's filter keeps it from being changed, and it can be read of every process of the same user, also of one that has ended and is
 * not reaped (prlimit(2)). So it tells whose a process is, whatever session, group, parent, name or environment it has.
 */

enum { MARKED_LIMIT = 10 }; /* RLIMIT_LOCKS, asm-generic/resource.h */

/* The highest bit of a mark; a limit set elsewhere is lower. Bit 0 is not part of the mark: it is cleared in a process that has
 * entered a Landlock domain of its own (notify/handlers/processes.c). */
#define MARK_TOP (1ull << 61)
#define MARK_UNBOUND 1ull

struct mark_limit {
  uint64_t now, most;
};

/* Unique: `host` is random (struct vt_watch_table). */
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
