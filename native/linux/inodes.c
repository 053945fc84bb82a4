#include "inodes.h"

#include <stdlib.h>

void vt_inodes_add(struct vt_inodes *inodes, const struct stat *status) {
  if (vt_inodes_have(inodes, status)) return;
  if (inodes->count == inodes->room) {
    inodes->room = inodes->room ? inodes->room * 2 : 64;
    inodes->at = realloc(inodes->at, inodes->room * sizeof *inodes->at);
    if (!inodes->at) abort();
  }
  inodes->at[inodes->count++] = (struct vt_inode){status->st_dev, status->st_ino};
}

bool vt_inodes_have(const struct vt_inodes *inodes, const struct stat *status) {
  for (size_t i = 0; i < inodes->count; i++)
    if (inodes->at[i].inode == status->st_ino && inodes->at[i].device == status->st_dev) return true;
  return false;
}

void vt_inodes_free(struct vt_inodes *inodes) { free(inodes->at); }
