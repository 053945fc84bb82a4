/* Which file it is, and by which mount it was reached. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

struct vt_identity {
  uint64_t device, inode, mount;
  int64_t birth; /* nanoseconds; 0: the file system tells none */
};

/* statx(2); never asks a file server. 0, or -1 with errno. */
int vt_identify(int directory, const char *path, int flags, struct vt_identity *identity);

/* lstat(2) without asking a file server, which could hang: device, inode, mode and links only. "": the descriptor itself. */
int vt_stat_known(int directory, const char *path, struct stat *status);

bool vt_identity_equals(const struct vt_identity *one, const struct vt_identity *other);

/* A set of files, by device and inode number. */

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
