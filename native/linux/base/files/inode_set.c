#include "base/files/inode_set.h"

#include <stdint.h>
#include <stdlib.h>

#include "base/memory.h"

static struct vt_inode *slot_of(const struct vt_inode_set *inodes, dev_t device, ino_t inode) {
  uint64_t mixed = ((uint64_t)inode ^ (uint64_t)device << 40) * 0x9e3779b97f4a7c15u; /* Fibonacci hashing */
  size_t mask = inodes->room - 1, at = (size_t)(mixed >> 32) & mask;
  while (inodes->slots[at].device && (inodes->slots[at].inode != inode || inodes->slots[at].device != device))
    at = (at + 1) & mask;
  return &inodes->slots[at];
}

/* At most half full. */
static void grow(struct vt_inode_set *inodes) {
  struct vt_inode_set before = *inodes;
  inodes->room = before.room ? before.room * 2 : 64;
  inodes->slots = vt_must(calloc(inodes->room, sizeof *inodes->slots));
  for (size_t at = 0; at < before.room; at++)
    if (before.slots[at].device) *slot_of(inodes, before.slots[at].device, before.slots[at].inode) = before.slots[at];
  free(before.slots);
}

void vt_inode_set_add(struct vt_inode_set *inodes, const struct stat *status) {
  if (vt_inode_set_has(inodes, status)) return;
  if (inodes->count * 2 >= inodes->room) grow(inodes);
  *slot_of(inodes, status->st_dev, status->st_ino) = (struct vt_inode){status->st_dev, status->st_ino};
  inodes->count++;
}

bool vt_inode_set_has(const struct vt_inode_set *inodes, const struct stat *status) {
  return inodes->room && slot_of(inodes, status->st_dev, status->st_ino)->device;
}

void vt_inode_set_free(struct vt_inode_set *inodes) { free(inodes->slots); }
