#define _GNU_SOURCE
#include "confine/places/places.h"

#include <errno.h>
#include <linux/magic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#include "base/basics.h"
#include "core.h"

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

static void add(struct vt_dir_snapshot *snapshot, const char *path) {
  struct stat status;
  vt_dir_snapshot_add(snapshot, path, VT_DIR_SNAPSHOT_ENTRIES | VT_DIR_SNAPSHOT_LINK);
  if (lstat(path, &status) == 0 && S_ISLNK(status.st_mode)) vt_dir_snapshot_add(snapshot, path, VT_DIR_SNAPSHOT_ENTRIES);
}

struct vt_dir_snapshot *vt_core_snapshot(const char *const *above, const char *const *paths) {
  struct vt_dir_snapshot *snapshot = vt_must(calloc(1, sizeof *snapshot));
  vt_dir_snapshot_begin(snapshot);
  for (; *above; above++) vt_dir_snapshot_add(snapshot, *above, VT_DIR_SNAPSHOT_IDENTITY | VT_DIR_SNAPSHOT_LINK);
  for (; *paths; paths++) add(snapshot, *paths);
  return snapshot;
}

bool vt_core_unchanged(const struct vt_dir_snapshot *snapshot) { return vt_dir_snapshot_unchanged(snapshot); }

void vt_core_free_snapshot(struct vt_dir_snapshot *snapshot) {
  vt_dir_snapshot_free(snapshot);
  free(snapshot);
}

/* linux/magic.h of newer kernels; ZFS keeps its own: include/sys/zfs_context_os.h */
enum { XFS = 0x58465342, ZFS = 0x2fc12fc1, F2FS = 0xf2f52010, BCACHEFS = 0xca451a4e };

/* inotify misses changes made by other machines, or through another view of the files: these file systems have neither. */
static bool is_local(const char *path) {
  static const unsigned long local[] = {EXT4_SUPER_MAGIC, BTRFS_SUPER_MAGIC, TMPFS_MAGIC, XFS, ZFS, F2FS, BCACHEFS};
  struct statfs status;
  if (statfs(path, &status)) return false;
  for (size_t i = 0; i < sizeof local / sizeof *local; i++)
    if ((unsigned long)status.f_type == local[i]) return true;
  return false;
}

int vt_inotify_open(const char *root) {
  return is_local(root) ? inotify_init1(IN_NONBLOCK | IN_CLOEXEC) : -1;
}

bool vt_inotify_add(int notices, const char *directory) {
  const uint32_t events = IN_CREATE | IN_MOVED_TO | IN_ATTRIB | IN_DELETE_SELF | IN_MOVE_SELF;
  if (notices < 0 || !is_local(directory)) return false;
  return inotify_add_watch(notices, directory, events | IN_ONLYDIR | IN_DONT_FOLLOW) >= 0;
}

/* An event without a name is about the directory itself, or reports lost events. */
static bool is_weighty(const struct inotify_event *event, bool (*matters)(const void *, const char *), const void *context) {
  return event->len == 0 || (event->mask & IN_ISDIR) || matters(context, event->name);
}

bool vt_inotify_unchanged(int notices, bool (*matters)(const void *context, const char *name), const void *context) {
  _Alignas(struct inotify_event) char events[8192];
  ssize_t length;
  while ((length = read(notices, events, sizeof events)) > 0 || (length < 0 && errno == EINTR)) {
    for (ssize_t at = 0; at < length;) {
      const struct inotify_event *event = (const struct inotify_event *)(events + at);
      if (is_weighty(event, matters, context)) return false;
      at += (ssize_t)(sizeof *event + event->len);
    }
  }
  return errno == EAGAIN;
}
