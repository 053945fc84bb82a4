/* Unlinked files that processes have open: deleted files and memfds (memfd_create(2)). Each set is used by one thread. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "limits/process_set.h"

enum { VT_UNLINKED_FILES_MAX = 4096 };

struct vt_unlinked_files {
  const char *const *prefixes; /* link texts in /proc/PID/fd that count; NULL-terminated */
  uint64_t bytes;              /* of their blocks; each file counts once */
  ino_t known[VT_UNLINKED_FILES_MAX];
  int count;
};

void vt_unlinked_files_scan(struct vt_unlinked_files *nameless, const struct vt_process_set *members, uint64_t limit);
