/* System calls without a libc: constants, structures and numbers. */
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
