/* The state of directories at one time, and whether they have changed since. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

/* LINK, with one of the others: of the path itself if it is a symbolic link. */
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
  bool unsettled; /* a change was so recent that another one might not show */
};

void vt_dir_snapshot_begin(struct vt_dir_snapshot *watched);

/* A directory that changed after, or just before, vt_dir_snapshot_begin() makes the snapshot count as changed. */
void vt_dir_snapshot_add(struct vt_dir_snapshot *watched, const char *path, int what);

/* Every directory is the same one, and those recorded for entries have the same entries. */
bool vt_dir_snapshot_unchanged(const struct vt_dir_snapshot *watched);

void vt_dir_snapshot_free(struct vt_dir_snapshot *watched);

/* While inotify(7) is silent about the searched directories, the cached rules stay valid. */

/* For directories beneath `root`; -1: it would miss changes there, or no instance is left. */
int vt_inotify_open(const char *root);

/* Call before the directory is read. False: it cannot be watched. */
bool vt_inotify_add(int notices, const char *directory);

/* True if no event since the last call is about a directory or a name that `matters`. Consumes the events. */
bool vt_inotify_unchanged(int notices, bool (*matters)(const void *context, const char *name), const void *context);
