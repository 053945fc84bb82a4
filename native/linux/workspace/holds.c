/* Which files of a workspace may be changed, by their descriptor or path (handlers/workspace_ops.h). */
#define _GNU_SOURCE
#include <fcntl.h>
#include <limits.h>
#include <string.h>

#include "confine/confinement.h"
#include "confine/reads/path_tree.h"
#include "notify/handlers/workspace_ops.h"
#include "workspace/questions.h"
#include "workspace/spot.h"
#include "workspace/workspace.h"

bool vt_workspace_marks(const struct vt_notification *notification, const char *path, const struct stat *status) {
  const struct vt_workspace *workspace = notification->listener->confinement->workspace;
  struct vt_spot spot;
  if (!workspace) return false;
  vt_workspace_find(workspace, notification->roots, path, false, &spot);
  vt_spot_close(&spot);
  return spot.kind == VT_SPOT_PROTECTED || (status && vt_workspace_protects(workspace, status));
}

/* The owner is not asked about metadata: it may change once the owner has allowed changes of the path.
 * `own`: only the protected path itself counts. */
static bool was_approved(const struct vt_listener *listener, const struct vt_spot *spot, const char *path, bool own) {
  char by[PATH_MAX];
  if (spot->kind != VT_SPOT_PROTECTED || !spot->protected_by || vt_path_node_path(spot->protected_by, by, sizeof by) < 0) return false;
  return (!own || strcmp(by, path) == 0) && vt_questions_allowed(listener->questions, by);
}

bool vt_workspace_holds(const struct vt_listener *listener, int fd, const char *path) {
  const struct vt_workspace *workspace = listener->confinement->workspace;
  struct vt_spot spot;
  struct stat own, there;
  if (!workspace || fstat(fd, &own)) return false;
  /* A directory on the way is among the protected inodes, but its metadata may change. */
  bool kept = !S_ISDIR(own.st_mode) && vt_workspace_protects(workspace, &own);
  vt_workspace_find(workspace, NULL, path, true, &spot);
  bool in = !kept && (spot.kind == VT_SPOT_HELD || spot.kind == VT_SPOT_GRANTED || spot.on_the_way);
  in = in || was_approved(listener, &spot, path, kept);
  bool holds = in && spot.parent >= 0 &&
               fstatat(spot.parent, spot.name[0] ? spot.name : ".", &there, AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT) == 0 &&
               there.st_dev == own.st_dev && there.st_ino == own.st_ino;
  vt_spot_close(&spot);
  return holds;
}
