/* What the headers of an old libc lack of the kernel's interface. The watcher, which has no libc, uses it too. */
#pragma once

#include <stdint.h>

/* asm-generic/unistd.h: the same on every architecture */
enum {
  NR_PIDFD_SEND_SIGNAL = 424,
  NR_PIDFD_OPEN = 434,
  NR_CLONE3 = 435,
  NR_CLOSE_RANGE = 436,
  NR_OPENAT2 = 437,
  NR_PIDFD_GETFD = 438,
  NR_LANDLOCK_CREATE_RULESET = 444,
  NR_LANDLOCK_ADD_RULE = 445,
  NR_LANDLOCK_RESTRICT_SELF = 446,
  NR_FCHMODAT2 = 452,
};

/* linux/close_range.h (5.9, 5.11) */
enum { RANGE_UNSHARE = 1 << 1, RANGE_CLOEXEC = 1 << 2 };

/* linux/sched.h (5.2): CLONE_PIDFD */
enum { RETURN_PIDFD = 0x1000 };

/* linux/dirent.h: struct linux_dirent64, a record of getdents64(2) */
struct entry {
  uint64_t inode;
  int64_t offset;
  unsigned short length;
  unsigned char type;
  char name[];
};
