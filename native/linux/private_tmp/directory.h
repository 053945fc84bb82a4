/* Private directories: one for each command that has been granted one, beneath a directory that is its user's alone.
 *
 *   TEMPORARY/vitrine-UID/      0700, checked: ours, no link, nobody else's to change
 *     RANDOM/                   0700, locked with flock(2) by the host as long as it lives; the command cannot write here
 *       tmp/                    what the command is granted
 *
 * The lock says whose directory is in use: the kernel drops it with the last descriptor, so with the process, whatever its
 * number and PID namespace. What is not locked was left by a host that was killed, and goes. */
#pragma once

#include <stdint.h>

#include "core.h"

/* Removes everything beneath the directory that `root` is open for reading on, however deep, and whatever its modes and
 * names. Returns 0 or the errno of what stays; ETIMEDOUT at `deadline` (vt_now()). Blocks. */
int vt_private_dir_empty(int root, int64_t deadline);
