#define _GNU_SOURCE
#include "confine/reads/inotify.h"

#include <errno.h>
#include <linux/magic.h>
#include <stddef.h>
#include <sys/inotify.h>
#include <sys/vfs.h>
#include <unistd.h>

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
