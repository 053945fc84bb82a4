#define _GNU_SOURCE
#include "base/files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/kernel.h"
#include "base/basics.h"

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

void vt_close(int fd) {
  int error = errno;
  close(fd);
  errno = error;
}

void vt_close_directory(DIR *directory) {
  int error = errno;
  closedir(directory);
  errno = error;
}

DIR *vt_list(int fd) {
  DIR *directory = fd < 0 ? NULL : fdopendir(fd);
  if (fd >= 0 && !directory) vt_close(fd);
  return directory;
}

int vt_close_at_exec(int first) {
  struct rlimit limit;
  if (syscall(NR_CLOSE_RANGE, first, ~0u, RANGE_CLOEXEC) == 0) return 0;
  if (getrlimit(RLIMIT_NOFILE, &limit)) return -1;
  for (int fd = first; (rlim_t)fd < limit.rlim_cur && fd < 65536; fd++) fcntl(fd, F_SETFD, FD_CLOEXEC);
  return 0;
}

int vt_above_standard(int fd) {
  if (fd < 0 || fd > 2) return fd;
  int above = fcntl(fd, F_DUPFD_CLOEXEC, 3);
  vt_close(fd);
  return above;
}

enum { MOST_LINKS = 40 }; /* linux/namei.h: MAXSYMLINKS */

bool vt_path_is_dots(const char *name, size_t length) {
  return (length == 1 || length == 2) && memcmp(name, "..", length) == 0;
}

bool vt_is_dots(const char *name) { return vt_path_is_dots(name, strlen(name)); }

bool vt_is_empty(int directory) {
  char entries[512] __attribute__((aligned(8)));
  long length;
  while ((length = syscall(SYS_getdents64, directory, entries, sizeof entries)) > 0)
    for (long at = 0; at < length;) {
      const struct entry *entry = (const void *)(entries + at);
      if (!vt_is_dots(entry->name)) return false;
      at += entry->length;
    }
  return length == 0;
}

bool vt_path_is_plain(const char *path) {
  size_t length;
  for (const char *at = path; *at == '/'; at += 1 + length) {
    length = strcspn(at + 1, "/");
    if (!length || vt_path_is_dots(at + 1, length)) return false;
  }
  return path[0] == '/';
}

bool vt_path_is_deleted(const char *path) {
  static const char mark[] = " (deleted)";
  const size_t length = strlen(path), end = sizeof mark - 1;
  return length > end && strcmp(path + length - end, mark) == 0;
}

const char *vt_path_beneath(const char *path, const char *directory) {
  size_t length = strlen(directory);
  const char *rest = path + length;
  return strncmp(path, directory, length) == 0 && (*rest == '/' || *rest == 0) ? rest : NULL;
}

char **vt_paths_copy(const char *const *paths) {
  size_t count = 0, bytes = 0;
  for (; paths[count]; count++) bytes += strlen(paths[count]) + 1;
  char **copy = malloc((count + 1) * sizeof *copy + bytes);
  if (!copy) return NULL;
  char *at = (char *)(copy + count + 1);
  for (size_t i = 0; i < count; i++) {
    copy[i] = at;
    at = stpcpy(at, paths[i]) + 1;
  }
  copy[count] = NULL;
  return copy;
}

/* A thread may have its own descriptor table (notify/notifiers.c). */
int vt_path_of(int fd, char *to, size_t size) {
  char link[48];
  snprintf(link, sizeof link, "/proc/thread-self/fd/%d", fd);
  ssize_t length = readlink(link, to, size);
  if (length < 0) return errno;
  if ((size_t)length == size) return ENAMETOOLONG;
  to[length] = 0;
  return 0;
}

int vt_openat2(int directory, const char *path, int flags, uint64_t resolve) {
  struct { /* linux/openat2.h (5.6): struct open_how */
    uint64_t flags, mode, resolve;
  } how = {.flags = (uint64_t)flags, .resolve = resolve};
  return (int)syscall(NR_OPENAT2, directory, path, &how, sizeof how);
}

int vt_path_open_direct(int directory, const char *path, int flags) {
  int fd = vt_openat2(directory, path, flags, RESOLVE_NO_LINKS);
  if (fd < 0 && (errno == ENOSYS || errno == EPERM)) errno = ELOOP;
  return fd;
}

const char *vt_path_next(struct vt_path_walk *walk, size_t *length) {
  const char *name;
  do {
    name = walk->rest + strspn(walk->rest, "/");
    *length = strcspn(name, "/");
    walk->rest = name + *length;
  } while (*length == 1 && *name == '.');
  return *length ? name : NULL;
}

int vt_path_follow(struct vt_path_walk *walk, const char *link, char target[PATH_MAX]) {
  char whole[sizeof walk->text];
  const char *rest = walk->rest + strspn(walk->rest, "/");
  ssize_t length = readlink(link, target, PATH_MAX - 1);
  if (length < 0) return errno;
  target[length] = 0;
  if (++walk->links > MOST_LINKS) return ELOOP;
  /* No slash behind a final link's target: it would demand a directory. */
  int needed = snprintf(whole, sizeof whole, "%s%s%s", target, *rest ? "/" : "", rest);
  if (needed < 0 || (size_t)needed >= sizeof whole) return ENAMETOOLONG;
  memcpy(walk->text, whole, (size_t)needed + 1);
  walk->rest = walk->text;
  return 0;
}
