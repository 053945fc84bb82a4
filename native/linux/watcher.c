/*
 * The watcher: a freestanding program, embedded in the addon, that outlives the host and ends what it left.
 * Descriptor 3 is the table of session ids, 4 a pipe whose write end the host holds. It waits until the pipe
 * closes or the host's pidfd tells its death (a write end that somebody inherited would hide the first), kills
 * every member of every session in the table until none is found, and ends. No libc: a few pages, nothing to load.
 */
#include <asm/unistd.h>
#include <stddef.h>
#include <stdint.h>

#include "watcher.h"

/* asm-generic/fcntl.h, asm-generic/poll.h, asm-generic/mman-common.h, asm-generic/signal.h, asm-generic/unistd.h */
enum { CWD = -100, READ_ONLY = 0, POLL_IN = 1, MAP_SHARED_PAGES = 1, PROTECT_READ = 1 };
enum { SIGNAL_KILL = 9, NR_PIDFD_SEND_SIGNAL = 424, NR_PIDFD_OPEN = 434 };
#if defined(__aarch64__)
enum { DIRECTORY_FLAG = 040000 }; /* asm/fcntl.h of arm64 */
#else
enum { DIRECTORY_FLAG = 0200000 };
#endif

enum { TABLE_FD = 3, PIPE_FD = 4, CALM_PASSES = 3, MOST_PASSES = 20000, PAUSE_NS = 1000000 };

struct poll_entry {
  int fd;
  short wanted, seen;
};

struct pause {
  long seconds, nanoseconds;
};

struct entry { /* linux_dirent64, getdents64(2) */
  uint64_t inode;
  int64_t offset;
  unsigned short length;
  unsigned char type;
  char name[];
};

static char entries[8192] __attribute__((aligned(8))), text[512];
static volatile int32_t *table;

static long call(long number, long a, long b, long c, long d, long e, long f) {
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

static long call1(long number, long a) { return call(number, a, 0, 0, 0, 0, 0); }
static long call2(long number, long a, long b) { return call(number, a, b, 0, 0, 0, 0); }
static long call4(long number, long a, long b, long c, long d) { return call(number, a, b, c, d, 0, 0); }

static int number_in(const char *digits) {
  int value = 0;
  while (*digits >= '0' && *digits <= '9') value = value * 10 + *digits++ - '0';
  return value;
}

/* Reads a small file into `text`, zero-terminated; returns the length or less than 1. */
static long read_text(const char *path) {
  long fd = call4(__NR_openat, CWD, (long)path, READ_ONLY, 0);
  if (fd < 0) return fd;
  long length = call4(__NR_read, fd, (long)text, sizeof text - 1, 0);
  call1(__NR_close, fd);
  if (length > 0) text[length] = 0;
  return length;
}

/* A pidfd is readable once the last thread has ended (pidfd_open(2)); the state in /proc tells of the first thread only. */
static int has_ended(long pidfd) {
  struct poll_entry polled = {(int)pidfd, POLL_IN, 0};
  struct pause none = {0, 0};
  return call(__NR_ppoll, (long)&polled, 1, (long)&none, 0, 0, 0) != 0;
}

static int is_in_table(long session) {
  for (int slot = 0; slot < VT_WATCHED_SESSIONS; slot++)
    if (table[slot] == session) return 1;
  return 0;
}

/* The pidfd comes before the check, so that the process that was checked is the one that is killed. */
static int kill_member(int pid) {
  long session = call1(__NR_getsid, pid);
  if (session <= 0 || !is_in_table(session)) return 0;
  long pidfd = call2(NR_PIDFD_OPEN, pid, 0);
  if (pidfd < 0) return 0;
  int found = call1(__NR_getsid, pid) == session && !has_ended(pidfd);
  if (found) {
    long group = call1(__NR_getpgid, pid);
    if (group > 1 && call1(__NR_getsid, group) == session) call2(__NR_kill, -group, SIGNAL_KILL);
    call4(NR_PIDFD_SEND_SIGNAL, pidfd, SIGNAL_KILL, 0, 0);
  }
  call1(__NR_close, pidfd);
  return found;
}

static int sweep_proc(void) {
  long proc = call4(__NR_openat, CWD, (long)"/proc", DIRECTORY_FLAG, 0);
  int found = 0;
  if (proc < 0) return 0;
  for (long length; (length = call4(__NR_getdents64, proc, (long)entries, sizeof entries, 0)) > 0;)
    for (long at = 0; at < length;) {
      const struct entry *entry = (const void *)(entries + at);
      at += entry->length;
      if (entry->name[0] >= '1' && entry->name[0] <= '9') found += kill_member(number_in(entry->name));
    }
  call1(__NR_close, proc);
  return found;
}

/* Where hidepid (proc(5)) hides those that are not dumpable, every process id there can be is asked. */
static int sweep_ids(void) {
  int last = read_text("/proc/sys/kernel/pid_max") > 0 ? number_in(text) : 4 * 1024 * 1024, found = 0;
  for (int pid = 2; pid <= last; pid++) found += kill_member(pid);
  return found;
}

static void wait_for_host(void) {
  struct poll_entry polled[2] = {{PIPE_FD, POLL_IN, 0}, {-1, POLL_IN, 0}};
  polled[1].fd = (int)call2(NR_PIDFD_OPEN, call1(__NR_getppid, 0), 0);
  while (call(__NR_ppoll, (long)polled, 2, 0, 0, 0, 0) <= 0) continue;
}

__attribute__((noreturn, used)) void watch(void) {
  table = (void *)call(__NR_mmap, 0, VT_WATCHED_SESSIONS * sizeof *table, PROTECT_READ, MAP_SHARED_PAGES, TABLE_FD, 0);
  wait_for_host();
  int hidden = read_text("/proc/1/stat") <= 0;
  for (int calm = 0, pass = 0; calm < CALM_PASSES && pass < MOST_PASSES; pass++) {
    if (hidden ? sweep_ids() : sweep_proc()) {
      calm = 0;
      continue;
    }
    struct pause pause = {0, PAUSE_NS};
    calm++;
    call2(__NR_nanosleep, (long)&pause, 0);
  }
  for (;;) call1(__NR_exit_group, 0);
}

#if defined(__x86_64__)
__asm__(".globl _start\n_start: xor %ebp, %ebp\n and $-16, %rsp\n call watch\n");
#else
__asm__(".globl _start\n_start: mov x29, #0\n mov x30, #0\n b watch\n");
#endif
