/* Where a path of a notified call leads. */
#pragma once

#include "notify/notification.h"
#include "notify/caller/resolve.h"

/* Whether a call that makes or removes one name has its directory in common with the last lookup, and Landlock allows every change
 * there: no lookup is needed. */
bool vt_place_is_granted_again(const struct vt_notification *notification, const char *path);

/* vt_resolve(), or what is known of the directory, if that is enough (workspace/known.h). */
int vt_place_find(struct vt_notification *notification, int directory, const char *path, bool follow, struct vt_resolved *place);
