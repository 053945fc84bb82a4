/* Files without a name that processes have open: deleted ones, and files in memory (memfd_create(2)). One thread for each. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "members.h"

enum { VT_NAMELESS_MOST = 4096 };

struct vt_nameless {
  const char *const *prefixes; /* of what their links in /proc/PID/fd say; NULL-terminated */
  uint64_t bytes;              /* of the blocks they have, each once, however many have it open */
  ino_t known[VT_NAMELESS_MOST];
  int count;
};

/* Adds up what the members have open, until it is over `limit`. */
void vt_nameless_look(struct vt_nameless *nameless, const struct vt_members *members, uint64_t limit);
