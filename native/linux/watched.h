/* Directories as they were looked at, and whether they still are the same. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

enum vt_watched_for { VT_WATCHED_ENTRIES, VT_WATCHED_PLACE };

struct vt_dir_snapshot {
  struct vt_watched_directory {
    char *path;
    enum vt_watched_for what;
    dev_t device;
    ino_t inode; /* 0: it was not there, or could not be seen */
    struct timespec modified, changed;
  } *at;
  size_t count, room;
  struct timespec begun; /* when the first of them was looked into */
  bool unsettled; /* one of them changed so shortly before that another change might not show */
};

void vt_watched_begin(struct vt_dir_snapshot *watched);

/* Takes down how a directory stands. What has changed since the beginning may be missed: it counts as changed again. */
void vt_watched_add(struct vt_dir_snapshot *watched, const char *path, enum vt_watched_for what);

/* Whether each of them is the same, and nothing was added to, removed from or renamed in those watched for entries. */
bool vt_watched_same(const struct vt_dir_snapshot *watched);

void vt_watched_free(struct vt_dir_snapshot *watched);
