/* Directories as they were looked at, and whether they still are the same. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

enum vt_dir_snapshot_for { VT_DIR_SNAPSHOT_ENTRIES, VT_DIR_SNAPSHOT_IDENTITY };

struct vt_dir_snapshot {
  struct vt_dir_state {
    char *path;
    enum vt_dir_snapshot_for what;
    dev_t device;
    ino_t inode; /* 0: it was not there, or could not be seen */
    struct timespec modified, changed;
  } *at;
  size_t count, room;
  struct timespec begun; /* when the first of them was looked into */
  bool unsettled; /* one of them changed so shortly before that another change might not show */
};

void vt_dir_snapshot_begin(struct vt_dir_snapshot *watched);

/* Takes down how a directory stands. What has changed since the beginning may be missed: it counts as changed again. */
void vt_dir_snapshot_add(struct vt_dir_snapshot *watched, const char *path, enum vt_dir_snapshot_for what);

/* Whether each of them is the same, and nothing was added to, removed from or renamed in those watched for entries. */
bool vt_dir_snapshot_unchanged(const struct vt_dir_snapshot *watched);

void vt_dir_snapshot_free(struct vt_dir_snapshot *watched);
