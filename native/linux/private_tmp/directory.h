/* Private directories: one per command that is granted one, in a directory that only its user can change.
 *
 *   TEMPORARY/vitrine-UID/      0700, checked: ours, no symlink, no access for others
 *     RANDOM/                   0700, locked with flock(2) while the host lives; the command cannot write here
 *       tmp/                    granted to the command
 *
 * The lock marks a directory in use. The kernel drops it with the last descriptor, thus with the process, independent of pids and
 * PID namespaces. An unlocked directory was left by a killed host and is swept. */
#pragma once

#include <stdint.h>

#include "core.h"

/* Removes everything in the directory, whatever its depth, modes and names. Returns 0 or the errno of what stays; ETIMEDOUT at
 * `deadline` (vt_now()). Blocks. */
int vt_private_dir_empty(int root, int64_t deadline);
