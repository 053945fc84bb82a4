#define _GNU_SOURCE
#include "base/files/identity.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

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
