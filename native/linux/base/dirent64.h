/* A record of getdents64(2), which no libc header declares. */
#pragma once

#include <stdint.h>

struct entry { /* linux/dirent.h, struct linux_dirent64 */
  uint64_t inode;
  int64_t offset;
  unsigned short length;
  unsigned char type;
  char name[];
};
