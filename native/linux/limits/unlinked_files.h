/* Unlinked files that processes have open: deleted files and memfds (memfd_create(2)). */
#pragma once

#include <stdint.h>

#include "limits/process_set.h"

enum { VT_BLOCK_BYTES = 512 }; /* of st_blocks (stat(3type)) */

/* Bytes of those whose link in /proc/PID/fd begins with a prefix; each counts once. Stops once over `limit`. */
uint64_t vt_unlinked_files(const char *const *prefixes, const struct vt_process_set *members, uint64_t limit);
