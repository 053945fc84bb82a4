/* Calls of the workspace that give a file or directory another name. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/files.h"
#include "notify/handlers/workspace_ops.h"

/* linux/fs.h: RENAME_* */
enum { NO_REPLACE = 1, EXCHANGE = 2 };

static bool is_writable(int fd) {
  int mode = fcntl(fd, F_GETFL) & (O_ACCMODE | O_PATH);
  return mode == O_WRONLY || mode == O_RDWR;
}

/* A file without a name, opened for writing by the command (O_TMPFILE), or one of the workspace that may be changed. */
static bool may_name(const struct vt_notification *notification, int fd) {
  struct stat status;
  char path[PATH_MAX];
  if (fstat(fd, &status) || !S_ISREG(status.st_mode) || vt_workspace_protects(vt_workspace_of(notification), &status)) return false;
  if (status.st_nlink == 0) return is_writable(fd);
  return vt_path_of(fd, path, sizeof path) == 0 && vt_workspace_holds(notification->listener, fd, path);
}

/* The kernel wants the opener's credentials for AT_EMPTY_PATH (Linux 6.10), so it is linked by its name in /proc (linkat(2)). */
static int link_file(const struct vt_notification *notification, const struct vt_spot *spot, int fd) {
  char path[40];
  snprintf(path, sizeof path, "/proc/thread-self/fd/%d", fd);
  return vt_as_reader_move(notification, SYS_linkat, AT_FDCWD, path, spot->parent, spot->name, AT_SYMLINK_FOLLOW);
}

/* The link of one of the caller's descriptors in /proc; -1: another path. */
static int descriptor_at(struct vt_notification *notification, const char *path) {
  struct vt_resolved place;
  int process = 0, thread, number = -1, end = 0;
  if (vt_resolve(&notification->caller, (int)vt_argument(notification, 0), path, false, &place)) return -1;
  if (sscanf(place.path, "/proc/%d/fd/%d%n", &process, &number, &end) < 2)
    sscanf(place.path, "/proc/%d/task/%d/fd/%d%n", &process, &thread, &number, &end);
  vt_resolved_close(&place);
  return end > 0 && place.path[end] == 0 && process == vt_caller_process(&notification->caller) ? number : -1;
}

int vt_workspace_descriptor_to_name(struct vt_notification *notification) {
  char path[PATH_MAX];
  if (!notification->roots || notification->call->call != VT_SYS_linkat) return -1;
  if (vt_caller_string(&notification->caller, vt_argument(notification, 1), path, sizeof path)) return -1;
  int flags = (int)vt_argument(notification, 4);
  if (!path[0]) return flags & AT_EMPTY_PATH ? (int)vt_argument(notification, 0) : -1;
  return flags & AT_SYMLINK_FOLLOW ? descriptor_at(notification, path) : -1;
}

bool vt_workspace_names(struct vt_notification *notification, int number, const struct vt_resolved *place) {
  struct vt_spot spot;
  enum vt_spot_kind kind = vt_workspace_spot(notification, place, true, &spot);
  bool in = (kind == VT_SPOT_HELD || kind == VT_SPOT_GRANTED) && spot.parent >= 0 && spot.name[0];
  int fd = in ? vt_borrow_descriptor(&notification->caller, number) : -1;
  bool acts = fd >= 0 && may_name(notification, fd);
  if (acts && vt_workspace_may_act(notification)) vt_workspace_finish(notification, link_file(notification, &spot, fd));
  if (notification->done) vt_notice_made(notification, spot.parent, place->path, spot.name);
  if (fd >= 0) close(fd);
  vt_spot_close(&spot);
  return acts;
}

struct move {
  const struct vt_resolved *old, *new;
  struct vt_spot from, to;
  bool links;
  uint32_t flags; /* of renameat2(2) */
};

static bool is_directory(const struct vt_resolved *place) { return place->exists && S_ISDIR(place->status.st_mode); }

/* Both names are in the workspace, unprotected. Neither a root nor a directory on the way to something protected may move: else a
 * filled directory could come to stand there. */
static bool is_possible(const struct vt_notification *notification, const struct move *move) {
  if (!vt_spot_is_in(&move->from) || !vt_spot_is_in(&move->to)) return false;
  if (!move->links) return !(move->flags & ~(uint32_t)(NO_REPLACE | EXCHANGE));
  return !(move->old->exists && vt_workspace_protects(vt_workspace_of(notification), &move->old->status));
}

/* A name, with what it names, is now at `new`. */
static void notice_move(struct vt_notification *notification, const struct vt_resolved *old, const struct vt_resolved *new, const struct vt_spot *to) {
  vt_notice_made(notification, to->parent, new->path, to->name);
  if (is_directory(old)) vt_notice_moved(notification, old->path, new->path);
}

static void act_and_notice(struct vt_notification *notification, const struct move *move) {
  const struct vt_spot *from = &move->from, *to = &move->to;
  long call = move->links ? SYS_linkat : SYS_renameat2;
  notification->error = vt_notice_objection(notification, move->new);
  if (!notification->error && (move->flags & EXCHANGE)) notification->error = vt_notice_objection(notification, move->old);
  if (notification->error) return;
  if (!move->links) vt_notice_change(notification, move->old), vt_notice_change(notification, move->new);
  vt_workspace_finish(notification, vt_as_reader_move(notification, call, from->parent, from->name, to->parent, to->name, move->flags));
  if (!notification->done) return;
  notice_move(notification, move->old, move->new, to);
  if (move->flags & EXCHANGE) notice_move(notification, move->new, move->old, from);
}

bool vt_workspace_moves(struct vt_notification *notification, const struct vt_resolved *old, const struct vt_resolved *new) {
  struct move move = {.old = old, .new = new, .links = notification->call->operation == VT_OP_LINK};
  if (notification->call->call == VT_SYS_renameat2) move.flags = (uint32_t)vt_argument(notification, 4);
  if (!move.links && !move.flags && vt_new_config_moves(notification, old, new)) return true;
  vt_workspace_spot(notification, old, true, &move.from);
  vt_workspace_spot(notification, new, true, &move.to);
  bool acts = is_possible(notification, &move), left = vt_spot_is_left(&move.from) && vt_spot_is_left(&move.to);
  if (acts && vt_workspace_may_act(notification)) act_and_notice(notification, &move);
  if (acts && (is_directory(old) || is_directory(new)) && notification->known_directories) vt_known_forget(notification->known_directories);
  vt_spot_close(&move.from);
  vt_spot_close(&move.to);
  return acts || left;
}
