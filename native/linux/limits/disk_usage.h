/* What a command keeps on disk in the directories granted to it. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "limits/process_set.h"

/* Bytes of the blocks beneath the directories (NULL-terminated; absolute), symbolic links not followed, and of deleted
 * files of theirs that a member still has open. Stops as soon as it is over `limit`. */
uint64_t vt_disk_usage(const char *const *directories, const struct vt_process_set *members, uint64_t limit);

/* Whether nothing stands in them. */
bool vt_disk_is_empty(const char *const *directories);
