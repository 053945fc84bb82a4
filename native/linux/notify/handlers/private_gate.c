#define _GNU_SOURCE
#include "notify/handlers/private_gate.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/files.h"
#include "notify/reply.h"
#include "notify/dispatch.h"
#include "notify/caller/place.h"
#include "confine/confinement.h"
#include "notify/caller/own_sandbox.h"
#include "notify/handlers/private_ops.h"
#include "notify/handlers/workspace_ops.h"
#include "workspace/workspace.h"

enum { NOT_FOUND = -2 };

/* The path alone proves nothing: that of a file on a detached mount can begin with anything. */
static bool is_in(const char *directory, const char *path, uint64_t mount) {
  struct vt_identity own;
  if (!vt_path_beneath(path, directory)) return false;
  int fd = open(directory, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0) return false;
  bool same = vt_identify(fd, "", AT_EMPTY_PATH, &own) == 0 && own.mount == mount;
  close(fd);
  return same;
}

/* The kernel names a file by the directory entry it was opened by. No foreign file gets one in a private directory: Landlock
 * refuses links and renames across its border. */
bool vt_is_private(const struct vt_listener *listener, int fd) {
  char path[PATH_MAX];
  struct vt_identity own;
  if (vt_path_of(fd, path, sizeof path) || vt_identify(fd, "", AT_EMPTY_PATH, &own)) return false;
  for (char **directory = listener->confinement->writable; *directory; directory++)
    if (is_in(*directory, path, own.mount)) return true;
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

/* `known`: found in a directory of the workspace, on its mount. */
static int open_place(const struct vt_notification *notification, const struct vt_resolved *place, bool *known) {
  const char *name = place->name[0] ? place->name : ".";
  int flags = O_PATH | O_NOFOLLOW | O_CLOEXEC;
  *known = place->known != NULL;
  int fd = *known ? vt_openat2(place->parent, name, flags, RESOLVE_IN_MOUNT) : openat(place->parent, name, flags);
  bool missing = fd < 0 && errno == ENOENT;
  return missing && (*known || vt_is_private(notification->listener, place->parent)) ? NOT_FOUND : fd;
}

/* Opens the file of the call's path. NOT_FOUND: missing, in a private directory. */
static int open_at_path(struct vt_notification *notification, bool *known) {
  const struct vt_call *call = notification->call;
  struct vt_resolved place;
  if (!vt_read_given(notification)) return -1;
  if (!notification->given[0]) return open_directory_itself(notification);
  size_t length = strlen(notification->given);
  bool follow = vt_call_follows(call, &notification->notif.data) || notification->given[length - 1] == '/';
  if (vt_place_find(notification, vt_directory(notification, call->directory), notification->given, follow, &place)) return -1;
  int fd = open_place(notification, &place, known);
  vt_resolved_close(&place);
  return fd;
}

static int open_subject(struct vt_notification *notification, bool *known) {
  const struct vt_call *call = notification->call;
  if (call->subject != VT_DESCRIPTOR) return open_at_path(notification, known);
  return open_descriptor(notification, (int)vt_argument(notification, call->argument));
}

/* Unknown flags are for the kernel to refuse. */
static bool may_have_action(const struct vt_notification *notification) {
  const struct vt_confinement *confinement = notification->listener->confinement;
  int flags = notification->call->flags;
  if (!notification->call->act || (!confinement->writable[0] && !confinement->workspace)) return false;
  return !flags || (vt_argument(notification, flags) & ~(uint64_t)(AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH)) == 0;
}

/* The caller must still wait, so that the file is its own. Later renames change nothing. */
static int act_on(struct vt_notification *notification, int fd, bool known) {
  struct vt_private_file file = {.fd = fd};
  if (fstat(fd, &file.status)) return VT_NOT_OURS;
  bool proven = known && !vt_workspace_protects(notification->listener->confinement->workspace, &file.status);
  if (!proven && !vt_is_private(notification->listener, fd)) return VT_NOT_OURS;
  return vt_caller_still_waits(notification) ? notification->call->act(notification, &file) : VT_NOT_OURS;
}

bool vt_private_gate(struct vt_notification *notification) {
  if (!may_have_action(notification)) return false;
  notification->own_sandbox = vt_lacks_capability(notification);
  if (notification->own_sandbox) return false;
  bool known = false;
  int fd = open_subject(notification, &known);
  if (fd == -1) return false;
  int error = fd == NOT_FOUND ? ENOENT : act_on(notification, fd, known);
  if (fd >= 0) close(fd);
  if (error == VT_NOT_OURS) return false;
  notification->error = error;
  notification->done = error == 0;
  return true;
}
