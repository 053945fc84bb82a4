/* Files without a name that processes have open: deleted ones, and files in memory (memfd_create(2)). One thread for each. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "limits/process_set.h"

enum { VT_UNLINKED_FILES_MAX = 4096 };

struct vt_unlinked_files {
  const char *const *prefixes; /* of what their links in /proc/PID/fd say; NULL-terminated */
  uint64_t bytes;              /* of the blocks they have, each once, however many have it open */
  ino_t known[VT_UNLINKED_FILES_MAX];
  int count;
};

/* Adds up what the members have open, until it is over `limit`. */
void vt_unlinked_files_scan(struct vt_unlinked_files *nameless, const struct vt_process_set *members, uint64_t limit);
