/* Answers questions about paths in processes that may hang with the file system. */
#pragma once

#include <stdint.h>

#include "core.h"

/* 0 or an errno; EBUSY: every thread hangs in a lookup that was given up. */
int vt_lookup_pool_queue(struct vt_owner *owner, uint32_t id, void *ticket, struct vt_text questions);

/* Unless its end was delivered: true, its ticket and a copy of the answers so far (the caller frees it). */
bool vt_lookup_pool_give_up(uint32_t id, struct vt_looked *looked);
