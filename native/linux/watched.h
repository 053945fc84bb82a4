/* Directories as they were looked at, and whether they still are the same. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

struct vt_watched {
  struct vt_watched_directory {
    char *path;
    dev_t device;
    ino_t inode; /* 0: it was not there, or could not be seen */
    struct timespec modified, changed;
  } *at;
  size_t count, room;
  bool unsettled; /* one of them changed so shortly before that another change might not show */
};

/* To be called before what is in the directory is looked at: then nothing is missed. */
void vt_watched_add(struct vt_watched *watched, const char *path);

/* Whether nothing was added to, removed from or renamed in any of them. */
bool vt_watched_same(const struct vt_watched *watched);

void vt_watched_free(struct vt_watched *watched);
