#define _GNU_SOURCE
#include <stdlib.h>

#include "base/memory.h"
#include "confine/reads/dir_snapshot.h"
#include "core.h"

static void add(struct vt_dir_snapshot *snapshot, const char *path) {
  struct stat status;
  vt_dir_snapshot_add(snapshot, path, VT_DIR_SNAPSHOT_ENTRIES | VT_DIR_SNAPSHOT_LINK);
  if (lstat(path, &status) == 0 && S_ISLNK(status.st_mode)) vt_dir_snapshot_add(snapshot, path, VT_DIR_SNAPSHOT_ENTRIES);
}

struct vt_dir_snapshot *vt_core_snapshot(const char *const *above, const char *const *paths) {
  struct vt_dir_snapshot *snapshot = vt_must(calloc(1, sizeof *snapshot));
  vt_dir_snapshot_begin(snapshot);
  for (; *above; above++) vt_dir_snapshot_add(snapshot, *above, VT_DIR_SNAPSHOT_IDENTITY | VT_DIR_SNAPSHOT_LINK);
  for (; *paths; paths++) add(snapshot, *paths);
  return snapshot;
}

bool vt_core_unchanged(const struct vt_dir_snapshot *snapshot) { return vt_dir_snapshot_unchanged(snapshot); }

void vt_core_free_snapshot(struct vt_dir_snapshot *snapshot) {
  vt_dir_snapshot_free(snapshot);
  free(snapshot);
}
