/* What getdents64(2) fills a buffer with. No header of libc has it. */
#pragma once

#include <stdint.h>

struct entry { /* linux/dirent.h, struct linux_dirent64 */
  uint64_t inode;
  int64_t offset;
  unsigned short length;
  unsigned char type;
  char name[];
};
