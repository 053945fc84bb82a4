/* A set of files, whatever they are called. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

struct vt_inodes {
  struct vt_inode {
    dev_t device; /* 0, which no file system has: an empty slot */
    ino_t inode;
  } *slots;
  size_t count, room;
};

void vt_inodes_add(struct vt_inodes *inodes, const struct stat *status);
bool vt_inodes_have(const struct vt_inodes *inodes, const struct stat *status);
void vt_inodes_free(struct vt_inodes *inodes);
