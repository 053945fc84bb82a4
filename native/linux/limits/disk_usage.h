#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "limits/process_set.h"

/* Bytes beneath the directories, with deleted files that a member has open. Stops once over `limit`. */
uint64_t vt_disk_usage(const char *const *directories, const struct vt_process_set *members, uint64_t limit);

bool vt_disk_is_empty(const char *const *directories);
