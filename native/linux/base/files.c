#define _GNU_SOURCE
#include "base/files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/memory.h"

/* linux/stat.h: STATX_MNT_ID, Linux 5.8; stx_mnt_id is at offset 0x90 */
enum { MOUNT_ID = 0x1000, MOUNT_ID_AT = 0x90 };

int vt_identify(int directory, const char *path, int flags, struct vt_identity *identity) {
  struct statx found;
  uint64_t born;
  flags |= AT_NO_AUTOMOUNT | AT_STATX_DONT_SYNC;
  if (syscall(SYS_statx, directory, path, flags, STATX_INO | STATX_BTIME | MOUNT_ID, &found)) return -1;
  if (!(found.stx_mask & MOUNT_ID)) return errno = ENOSYS, -1;
  memset(identity, 0, sizeof *identity);
  memcpy(&identity->mount, (const char *)&found + MOUNT_ID_AT, sizeof identity->mount);
  identity->device = (uint64_t)found.stx_dev_major << 32 | found.stx_dev_minor;
  identity->inode = found.stx_ino;
  born = (uint64_t)found.stx_btime.tv_sec * 1000000000u + found.stx_btime.tv_nsec;
  identity->birth = found.stx_mask & STATX_BTIME ? (int64_t)born : 0;
  return 0;
}

int vt_stat_known(int directory, const char *path, struct stat *status) {
  const int flags = AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT | AT_STATX_DONT_SYNC | AT_EMPTY_PATH;
  struct statx found;
  if (syscall(SYS_statx, directory, path, flags, STATX_BASIC_STATS, &found)) return -1;
  *status = (struct stat){
      .st_dev = makedev(found.stx_dev_major, found.stx_dev_minor),
      .st_ino = found.stx_ino,
      .st_mode = found.stx_mode,
      .st_nlink = found.stx_nlink,
  };
  return 0;
}

bool vt_identity_equals(const struct vt_identity *one, const struct vt_identity *other) {
  return one->inode == other->inode && one->device == other->device && one->mount == other->mount && one->birth == other->birth;
}

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
