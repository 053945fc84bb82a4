/* Looks at paths for JavaScript, off its thread, by processes that may wait as long as the file system does. */
#pragma once

#include <stdint.h>

#include "core.h"

/* 0, or an errno: EBUSY when as many look-ups were given up and still hang as there can be. */
int vt_lookup_pool_queue(struct vt_owner *owner, uint32_t id, void *ticket, struct vt_text questions);

/* Ends one; true, its ticket, and a copy of what is answered by now (the caller frees it) if nobody was told of its end. */
bool vt_lookup_pool_give_up(uint32_t id, struct vt_looked *looked);
