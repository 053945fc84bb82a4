/* The state of directories at one time, and whether they have changed since. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

/* LINK: as the others, but of the path itself, should it be a symbolic link. */
enum vt_dir_snapshot_for { VT_DIR_SNAPSHOT_ENTRIES = 0, VT_DIR_SNAPSHOT_IDENTITY = 1, VT_DIR_SNAPSHOT_LINK = 2 };

struct vt_dir_snapshot {
  struct vt_dir_state {
    char *path;
    int what; /* VT_DIR_SNAPSHOT_* */
    dev_t device;
    ino_t inode; /* 0: missing or inaccessible */
    struct timespec modified, changed;
  } *at;
  size_t count, room;
  struct timespec begun; /* before the first directory was read */
  bool unsettled; /* a directory changed so recently that another change might not show */
};

void vt_dir_snapshot_begin(struct vt_dir_snapshot *watched);

/* Records a directory's state. If it changed after, or just before, vt_dir_snapshot_begin(), the snapshot counts as changed. */
void vt_dir_snapshot_add(struct vt_dir_snapshot *watched, const char *path, int what);

/* True if every directory is the same one, and those recorded for entries had none added, removed or renamed. */
bool vt_dir_snapshot_unchanged(const struct vt_dir_snapshot *watched);

void vt_dir_snapshot_free(struct vt_dir_snapshot *watched);
