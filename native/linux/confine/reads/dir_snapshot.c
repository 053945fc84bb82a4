#define _GNU_SOURCE
#include "confine/reads/dir_snapshot.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/memory.h"

/* Two changes within a tick of the kernel's clock (at most 10 ms) may leave the same time (inode(7)). Times of whole seconds are
 * probably those of a file system that keeps no more (ext4 with inodes of 128 bytes; vfat: every second one). Time 0 is that of a
 * directory without times (the topmost one of vfat): no change shows. */
enum { TICK_NS = 20 * 1000 * 1000, COARSE_TICK_NS = 2000 * 1000 * 1000 };

static void look(struct vt_dir_state *directory) {
  struct stat status = {0};
  bool is_link = directory->what & VT_DIR_SNAPSHOT_LINK;
  if (is_link ? lstat(directory->path, &status) : stat(directory->path, &status)) status.st_ino = 0;
  directory->device = status.st_dev;
  directory->inode = status.st_ino;
  directory->modified = status.st_mtim;
  directory->changed = status.st_ctim;
}

void vt_dir_snapshot_begin(struct vt_dir_snapshot *watched) { clock_gettime(CLOCK_REALTIME, &watched->begun); }

static bool is_settled(const struct vt_dir_snapshot *watched, const struct vt_dir_state *directory) {
  const struct timespec *begun = &watched->begun, *changed = &directory->changed;
  long long age = (begun->tv_sec - changed->tv_sec) * 1000000000LL + begun->tv_nsec - changed->tv_nsec;
  long long tick = changed->tv_nsec == 0 ? COARSE_TICK_NS + TICK_NS : TICK_NS;
  bool shows = changed->tv_sec != 0 && age > tick;
  return directory->inode == 0 || (directory->what & VT_DIR_SNAPSHOT_IDENTITY) || shows;
}

void vt_dir_snapshot_add(struct vt_dir_snapshot *watched, const char *path, int what) {
  if (watched->count == watched->room) {
    watched->room = watched->room ? watched->room * 2 : 64;
    watched->at = vt_must(realloc(watched->at, watched->room * sizeof *watched->at));
  }
  struct vt_dir_state *directory = &watched->at[watched->count++];
  directory->what = what;
  directory->path = vt_must(strdup(path));
  look(directory);
  if (!is_settled(watched, directory)) watched->unsettled = true;
}

static bool is_same_time(const struct timespec *one, const struct timespec *other) {
  return one->tv_sec == other->tv_sec && one->tv_nsec == other->tv_nsec;
}

static bool is_same(const struct vt_dir_state *directory) {
  struct vt_dir_state now = {.path = directory->path, .what = directory->what};
  look(&now);
  if (now.inode != directory->inode || now.device != directory->device) return false;
  return (directory->what & VT_DIR_SNAPSHOT_IDENTITY) ||
         (is_same_time(&now.modified, &directory->modified) && is_same_time(&now.changed, &directory->changed));
}

bool vt_dir_snapshot_unchanged(const struct vt_dir_snapshot *watched) {
  if (watched->unsettled) return false;
  for (size_t i = 0; i < watched->count; i++)
    if (!is_same(&watched->at[i])) return false;
  return true;
}

void vt_dir_snapshot_free(struct vt_dir_snapshot *watched) {
  for (size_t i = 0; i < watched->count; i++) free(watched->at[i].path);
  free(watched->at);
}
