/* Measures files: those of a private directory, and unlinked ones that processes have open. */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files.h"
#include "base/procfs.h"
#include "limits/limits.h"

enum { OPEN_LEVELS = 32, BLOCK_BYTES = 512 }; /* of st_blocks (stat(3type)) */

struct scan {
  const char *const *prefixes;
  uint64_t bytes;
  struct vt_inode_set counted;
};

static bool is_wanted(const struct scan *scan, const char *target) {
  for (const char *const *prefix = scan->prefixes; *prefix; prefix++)
    if (strncmp(target, *prefix, strlen(*prefix)) == 0) return true;
  return false;
}

/* Checks the link text before it calls stat: stat on a descriptor of a dead network mount could hang. */
static bool count_unlinked(void *context, int directory, const char *name, const char *target) {
  struct scan *scan = context;
  struct stat status;
  if (!is_wanted(scan, target) || fstatat(directory, name, &status, 0)) return false;
  if (status.st_nlink > 0 || !S_ISREG(status.st_mode) || vt_inode_set_has(&scan->counted, &status)) return false;
  vt_inode_set_add(&scan->counted, &status);
  scan->bytes += (uint64_t)status.st_blocks * BLOCK_BYTES;
  return false;
}

uint64_t vt_usage_of_unlinked(const char *const *prefixes, const struct vt_process_set *members, uint64_t limit) {
  struct scan scan = {.prefixes = prefixes};
  for (int at = 0; at < members->found.count && scan.bytes <= limit; at++) vt_procfs_find_link(members->found.at[at], &scan, count_unlinked);
  vt_inode_set_free(&scan.counted);
  return scan.bytes;
}

/* A directory on the path from the root of the walk. Only the lowest OPEN_LEVELS are open; others are reopened through "..". */
struct level {
  struct level *above;
  DIR *directory;
  long position;
  dev_t device;
  ino_t inode;
};

struct tally {
  uint64_t bytes, limit;
  struct level *lowest;
};

static void enter(struct tally *tally, int fd) {
  struct stat status;
  struct level *level = calloc(1, sizeof *level);
  DIR *directory = vt_list(fd);
  if (!directory || !level || fstat(fd, &status)) {
    if (directory) closedir(directory);
    return free(level);
  }
  *level = (struct level){tally->lowest, directory, 0, status.st_dev, status.st_ino};
  tally->lowest = level;
}

static void close_far_above(const struct tally *tally) {
  struct level *level = tally->lowest;
  for (int up = 0; level && up < OPEN_LEVELS; up++) level = level->above;
  if (!level || !level->directory) return;
  level->position = telldir(level->directory);
  closedir(level->directory);
  level->directory = NULL;
}

/* If a directory was moved meanwhile, the walk ends here: the next one sees it at its new place. */
static void reopen(struct level *level, int below) {
  struct stat status;
  int fd = openat(below, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return;
  bool same = fstat(fd, &status) == 0 && status.st_dev == level->device && status.st_ino == level->inode;
  if (!same) close(fd);
  else if ((level->directory = vt_list(fd))) seekdir(level->directory, level->position);
}

static void leave(struct tally *tally) {
  struct level *level = tally->lowest;
  if (level->above && !level->above->directory && level->directory) reopen(level->above, dirfd(level->directory));
  if (level->directory) closedir(level->directory);
  tally->lowest = level->above;
  free(level);
}

/* A file with n names counts 1/n at each. */
static void count(struct tally *tally, int directory, const char *name) {
  struct stat status;
  if (fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT)) return;
  if (status.st_dev != tally->lowest->device) return;
  bool shared = !S_ISDIR(status.st_mode) && status.st_nlink > 1;
  tally->bytes += (uint64_t)status.st_blocks * BLOCK_BYTES / (shared ? status.st_nlink : 1);
  if (!S_ISDIR(status.st_mode)) return;
  enter(tally, openat(directory, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  close_far_above(tally);
}

static void step(struct tally *tally) {
  DIR *directory = tally->lowest->directory;
  const struct dirent *entry = directory ? readdir(directory) : NULL;
  if (!entry) return leave(tally);
  if (!vt_is_dots(entry->d_name)) count(tally, dirfd(directory), entry->d_name);
}

static void walk(struct tally *tally, const char *path) {
  tally->lowest = NULL;
  enter(tally, open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  while (tally->lowest && tally->bytes <= tally->limit) step(tally);
  while (tally->lowest) leave(tally);
}

uint64_t vt_usage_of_disk(const char *const *directories, const struct vt_process_set *members, uint64_t limit) {
  struct tally tally = {.limit = limit};
  for (const char *const *path = directories; *path; path++) walk(&tally, *path);
  if (tally.bytes > limit) return tally.bytes;
  return tally.bytes + vt_usage_of_unlinked(directories, members, limit - tally.bytes);
}

bool vt_usage_has_no_files(const char *const *directories) {
  for (; *directories; directories++) {
    int fd = open(*directories, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    bool empty = fd >= 0 && vt_is_empty(fd);
    if (fd >= 0) close(fd);
    if (!empty) return false;
  }
  return true;
}
