/* A set of files, by device and inode number. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

struct vt_inode_set {
  struct vt_inode {
    dev_t device; /* 0, which no file system has: empty */
    ino_t inode;
  } *slots;
  size_t count, room;
};

void vt_inode_set_add(struct vt_inode_set *inodes, const struct stat *status);
bool vt_inode_set_has(const struct vt_inode_set *inodes, const struct stat *status);
void vt_inode_set_free(struct vt_inode_set *inodes);
