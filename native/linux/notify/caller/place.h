/* Where a path of a notified call leads. */
#pragma once

#include "notify/notification.h"
#include "notify/caller/resolve.h"

/* vt_resolve(), or what is known of the directory, if that is enough (workspace/known.h). */
int vt_place_find(struct vt_notification *notification, int directory, const char *path, bool follow, struct vt_resolved *place);
