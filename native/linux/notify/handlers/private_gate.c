#define _GNU_SOURCE
#include "notify/handlers/private_gate.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/paths.h"
#include "notify/reply.h"
#include "notify/dispatch.h"
#include "notify/caller/resolve.h"
#include "confine/confinement.h"
#include "notify/handlers/private_ops.h"
#include "notify/handlers/workspace_ops.h"

/* linux/stat.h: STATX_MNT_ID, Linux 5.8; stx_mnt_id is at offset 0x90 */
enum { MOUNT_ID = 0x1000, MOUNT_ID_AT = 0x90, STATX_BYTES = 0x100 };
enum { NOT_FOUND = -2 };

/* The id of the mount that the descriptor's file was reached through. */
static bool mount_of(int fd, uint64_t *mount) {
  union {
    char bytes[STATX_BYTES];
    uint32_t mask;
  } found;
  if (syscall(SYS_statx, fd, "", AT_EMPTY_PATH | AT_NO_AUTOMOUNT, MOUNT_ID, &found)) return false;
  memcpy(mount, found.bytes + MOUNT_ID_AT, sizeof *mount);
  return (found.mask & MOUNT_ID) != 0;
}

/* The path alone proves nothing: that of a file on a detached mount can begin with anything. */
static bool is_in(const char *directory, const char *path, uint64_t mount) {
  uint64_t own;
  if (!vt_path_beneath(path, directory)) return false;
  int fd = open(directory, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0) return false;
  bool same = mount_of(fd, &own) && own == mount;
  close(fd);
  return same;
}

/* The kernel names a file by the directory entry it was opened by. No foreign file gets one in a private directory: Landlock
 * refuses links and renames across its border. */
bool vt_is_private(const struct vt_listener *listener, int fd) {
  char path[PATH_MAX];
  uint64_t mount;
  if (vt_path_of(fd, path, sizeof path) || !mount_of(fd, &mount)) return false;
  for (char **directory = listener->confinement->writable; *directory; directory++)
    if (is_in(*directory, path, mount)) return true;
  return vt_workspace_holds(listener, fd, path);
}

static int open_descriptor(const struct vt_notification *notification, int number) {
  char link[48];
  snprintf(link, sizeof link, "/proc/%d/fd/%d", notification->caller.thread, number);
  return open(link, O_PATH | O_CLOEXEC);
}

/* A directory descriptor and no path: the descriptor's own file (utimensat(2), AT_EMPTY_PATH). */
static int open_directory_itself(const struct vt_notification *notification) {
  const struct vt_call *call = notification->call;
  bool may_be_empty = call->flags && (vt_argument(notification, call->flags) & AT_EMPTY_PATH);
  bool has_no_path = vt_argument(notification, call->argument) == 0;
  if (call->directory == VT_NO_ARGUMENT || !(may_be_empty || has_no_path)) return -1;
  return open_descriptor(notification, (int)vt_argument(notification, call->directory));
}

/* Opens the file of the call's path. NOT_FOUND: missing, in a private directory. */
static int open_at_path(struct vt_notification *notification) {
  const struct vt_call *call = notification->call;
  struct vt_resolved place;
  uint64_t address = vt_argument(notification, call->argument);
  int directory = call->directory == VT_NO_ARGUMENT ? AT_FDCWD : (int)vt_argument(notification, call->directory);
  notification->given[0] = 0;
  if (address && vt_caller_string(&notification->caller, address, notification->given, sizeof notification->given)) return -1;
  if (!notification->given[0]) return open_directory_itself(notification);
  __atomic_store_n(&notification->given_known, true, __ATOMIC_RELEASE);
  size_t length = strlen(notification->given);
  bool follow = vt_call_follows(call, &notification->notif.data) || notification->given[length - 1] == '/';
  if (vt_resolve(&notification->caller, directory, notification->given, follow, &place)) return -1;
  const char *name = place.name[0] ? place.name : ".";
  int fd = openat(place.parent, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0 && errno == ENOENT && vt_is_private(notification->listener, place.parent)) fd = NOT_FOUND;
  vt_resolved_close(&place);
  return fd;
}

static int open_subject(struct vt_notification *notification) {
  if (notification->call->subject == VT_DESCRIPTOR) return open_descriptor(notification, (int)vt_argument(notification, notification->call->argument));
  return open_at_path(notification);
}

/* Unknown flags are for the kernel to refuse: no action. */
static bool has_known_flags(const struct vt_notification *notification) {
  int flags = notification->call->flags;
  return !flags || (vt_argument(notification, flags) & ~(uint64_t)(AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH)) == 0;
}

/* The caller must still wait, so that the file is its own. Later renames change nothing. */
static int act_on(struct vt_notification *notification, int fd) {
  struct vt_private_file file = {.fd = fd};
  if (!vt_is_private(notification->listener, fd) || fstat(fd, &file.status)) return VT_NOT_OURS;
  return vt_caller_still_waits(notification) ? notification->call->act(notification, &file) : VT_NOT_OURS;
}

bool vt_private_gate(struct vt_notification *notification) {
  if (!notification->call->act || (!notification->listener->confinement->writable[0] && !notification->listener->confinement->workspace) || !has_known_flags(notification)) return false;
  int fd = open_subject(notification);
  if (fd == -1) return false;
  int error = fd == NOT_FOUND ? ENOENT : act_on(notification, fd);
  if (fd >= 0) close(fd);
  if (error == VT_NOT_OURS) return false;
  notification->error = error;
  notification->done = error == 0;
  return true;
}
