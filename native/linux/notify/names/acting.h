/* What calls have in common that the workspace server makes for their callers (handlers/workspace_ops.h). */
#pragma once

#include <errno.h>

#include "notify/caller/resolve.h"
#include "notify/notification.h"
#include "workspace/workspace.h"

/* Finds the spot, with its parent where the notifier acts. Asks about a protected one. */
enum vt_spot_kind vt_workspace_spot(struct vt_notification *notification, const struct vt_resolved *place, bool acts, struct vt_spot *spot);

/* False: the caller is gone, and nothing is carried out. */
bool vt_workspace_may_act(struct vt_notification *notification);

/* Notes the outcome of a call that was carried out. */
static inline void vt_workspace_finish(struct vt_notification *notification, int failed) {
  notification->error = failed ? errno : 0;
  notification->done = !failed;
}

/* The call goes on, and Landlock decides: the caller has a sandbox of its own (caller/own_sandbox.h). */
static inline bool vt_spot_is_left(const struct vt_spot *spot) { return spot->kind == VT_SPOT_GRANTED && spot->parent < 0; }

/* An entry that the command may make, remove or replace. */
static inline bool vt_spot_is_in(const struct vt_spot *spot) {
  return (spot->kind == VT_SPOT_HELD || spot->kind == VT_SPOT_GRANTED) && spot->parent >= 0 && spot->name[0];
}
