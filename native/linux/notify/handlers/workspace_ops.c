#define _GNU_SOURCE
#include "notify/handlers/workspace_ops.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/files.h"
#include "confine/filter/seccomp_constants.h"
#include "notify/dispatch.h"
#include "confine/places/places.h"

bool vt_workspace_may_act(struct vt_notification *notification) {
  if (vt_may_act(notification)) return true;
  notification->error = EINTR; /* is not delivered */
  return false;
}

/* Asks the owner about what protects the spot, but never about directories that lead to something protected. */
static bool is_approved(struct vt_notification *notification, const struct vt_spot *spot, const struct vt_resolved *place) {
  char path[PATH_MAX];
  if (spot->kind != VT_SPOT_PROTECTED || !spot->protected_by || !notification->listener->questions) return false;
  if (vt_path_node_path(spot->protected_by, path, sizeof path) < 0) return false;
  if (!vt_questions_ask(notification->listener->questions, notification, path)) return false;
  /* A name deeper in an approved directory may be a hard link of another protected file. */
  if (strcmp(path, place->path) == 0) notification->approved = true;
  return true;
}

/* For a caller with a sandbox of its own nothing is carried out: what Landlock decides goes on, the rest is refused. */
static enum vt_spot_kind leave_to_own_sandbox(struct vt_notification *notification, struct vt_spot *spot) {
  if (spot->kind == VT_SPOT_HELD) notification->own_sandbox = true;
  vt_spot_close(spot);
  return spot->kind = spot->kind == VT_SPOT_GRANTED ? VT_SPOT_GRANTED : VT_SPOT_OUTSIDE;
}

enum vt_spot_kind vt_workspace_spot(struct vt_notification *notification, const struct vt_resolved *place, bool acts, struct vt_spot *spot) {
  const struct stat *status = place->exists ? &place->status : NULL;
  spot->parent = -1;
  spot->kind = VT_SPOT_OUTSIDE;
  if (place->known) vt_known_spot(place->known, vt_workspace_of(notification), place->name, status, spot);
  else if (notification->roots) vt_workspace_find(vt_workspace_of(notification), notification->roots, place->path, acts, spot);
  if (vt_has_own_sandbox(notification)) return leave_to_own_sandbox(notification, spot);
  if (place->known || !is_approved(notification, spot, place)) return spot->kind;
  vt_spot_close(spot);
  vt_workspace_find(vt_workspace_of(notification), notification->roots, place->path, true, spot);
  if (spot->kind == VT_SPOT_PROTECTED && spot->protected_by && spot->parent >= 0) spot->kind = VT_SPOT_HELD;
  return spot->kind;
}

/* Regular files and FIFOs. */
static bool is_plain(const struct vt_notification *notification, const struct stat *status) {
  bool plain = S_ISREG(status->st_mode) || S_ISFIFO(status->st_mode);
  return plain && (notification->approved || !vt_workspace_protects(vt_workspace_of(notification), status));
}

int vt_workspace_settle(int fd, int error, uint32_t flags) {
  if (!error && (flags & O_TRUNC) && ftruncate(fd, 0)) error = errno;
  if (!error && !(flags & O_NONBLOCK) && fcntl(fd, F_SETFL, (int)flags)) error = errno;
  if (!error) return fd;
  close(fd);
  errno = error;
  return -1;
}

/* Opens without truncating, since only the opened file shows what it is. Never blocks: on a FIFO without a reader it fails with
 * ENXIO. */
static int open_plain(const struct vt_notification *notification, const struct vt_spot *spot, uint32_t flags) {
  struct stat status;
  int wanted = (int)(flags & ~(uint32_t)(O_TRUNC | O_CLOEXEC)) | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
  int fd = vt_as_reader_open(notification, spot->parent, spot->name[0] ? spot->name : ".", wanted, vt_mode(notification));
  if (fd < 0) return -1;
  int error = fstat(fd, &status) ? errno : !is_plain(notification, &status) ? EACCES : 0;
  return vt_workspace_settle(fd, error, S_ISREG(status.st_mode) ? flags : flags & ~(uint32_t)O_TRUNC);
}

/* The FIFO that an open for writing found without a reader; -1: it is none, or the caller does not wait. */
static int find_fifo(const struct vt_notification *notification, const struct vt_spot *spot, uint32_t flags) {
  struct stat status;
  if (flags & O_NONBLOCK) return -1;
  int fd = openat(spot->parent, spot->name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0 || (fstat(fd, &status) == 0 && S_ISFIFO(status.st_mode) && is_plain(notification, &status))) return fd;
  close(fd);
  return -1;
}

static void open_spot(struct vt_notification *notification, const struct vt_spot *spot, uint32_t flags) {
  notification->send_fd = open_plain(notification, spot, flags);
  notification->send_flags = flags & O_CLOEXEC;
  vt_workspace_finish(notification, notification->send_fd < 0);
  int fifo = notification->error == ENXIO ? find_fifo(notification, spot, flags) : -1;
  if (fifo >= 0) vt_wait_for_reader(notification, fifo);
}

/* Whether the open would change something: one that only reads, or fails, needs no question. */
static bool is_meant(uint32_t flags, const struct vt_resolved *place) {
  if (!place->exists) return (flags & O_CREAT) != 0;
  if ((flags & O_CREAT) && (flags & O_EXCL)) return false;
  return (flags & (O_ACCMODE | O_TRUNC)) != 0;
}

static bool is_openable(const struct vt_notification *notification, uint32_t flags, const struct vt_resolved *place) {
  if (flags & VT_O_TMPFILE) return place->exists && S_ISDIR(place->status.st_mode);
  if (!place->exists) return (flags & O_CREAT) != 0;
  return is_plain(notification, &place->status);
}

static void open_and_notice(struct vt_notification *notification, const struct vt_resolved *place, const struct vt_spot *spot, uint32_t flags) {
  open_spot(notification, spot, flags);
  if (vt_makes_program(notification) && notification->send_fd >= 0) vt_notice_made(notification, spot->parent, place->path, spot->name);
}

static enum vt_spot_kind spot_of_change(struct vt_notification *notification, const struct vt_resolved *place, bool acts, struct vt_spot *spot) {
  enum vt_spot_kind kind = vt_workspace_spot(notification, place, acts, spot);
  if (kind == VT_SPOT_GRANTED || kind == VT_SPOT_HELD) vt_notice_change(notification, place);
  return kind;
}

bool vt_workspace_opens(struct vt_notification *notification, uint32_t flags, const struct vt_resolved *place) {
  struct vt_spot spot;
  if (!is_meant(flags, place)) return false;
  if (vt_new_config_opens(notification, flags, place)) return true;
  bool exactly = vt_makes_program(notification) && notification->roots;
  enum vt_spot_kind kind = spot_of_change(notification, place, exactly, &spot);
  bool granted = kind == VT_SPOT_GRANTED, in = kind == VT_SPOT_HELD || (granted && exactly && spot.parent >= 0);
  bool acts = in && is_openable(notification, flags, place);
  if (acts && vt_workspace_may_act(notification)) open_and_notice(notification, place, &spot, flags);
  vt_spot_close(&spot);
  return acts || granted;
}

bool vt_workspace_truncates(struct vt_notification *notification, const struct vt_resolved *place) {
  struct vt_spot spot;
  enum vt_spot_kind kind = spot_of_change(notification, place, false, &spot);
  if (kind == VT_SPOT_GRANTED) return true;
  bool acts = kind == VT_SPOT_HELD && is_openable(notification, O_WRONLY, place);
  if (acts && vt_workspace_may_act(notification)) {
    int fd = open_plain(notification, &spot, O_WRONLY);
    vt_workspace_finish(notification, fd < 0 || vt_fsize_truncate(notification->caller.thread, fd, (off_t)vt_argument(notification, 1)));
    if (fd >= 0) close(fd);
  }
  vt_spot_close(&spot);
  return acts;
}

bool vt_workspace_removes(struct vt_notification *notification, const struct vt_resolved *place, bool directory) {
  struct vt_spot spot;
  if (vt_new_config_removes(notification, place, directory)) return true;
  enum vt_spot_kind kind = spot_of_change(notification, place, false, &spot);
  if (kind == VT_SPOT_GRANTED) return true;
  bool acts = spot.parent >= 0 && spot.name[0] && (kind == VT_SPOT_HELD || (spot.on_the_way && directory));
  if (acts && vt_workspace_may_act(notification)) vt_workspace_finish(notification, unlinkat(spot.parent, spot.name, directory ? AT_REMOVEDIR : 0));
  vt_spot_close(&spot);
  return acts;
}

static bool makes_directory(const struct vt_notification *notification) {
  return notification->call->call == VT_SYS_mkdir || notification->call->call == VT_SYS_mkdirat;
}

static int make_link(struct vt_notification *notification, const struct vt_spot *spot) {
  char target[PATH_MAX];
  int error = vt_caller_string(&notification->caller, vt_argument(notification, 0), target, sizeof target);
  if (!error && vt_workspace_may_act(notification)) return symlinkat(target, spot->parent, spot->name);
  errno = error ? error : EINTR;
  return -1;
}

/* Regular files and FIFOs only: devices reach beyond the workspace. By number, because mknodat(3) needs glibc 2.33. */
static int make_node(struct vt_notification *notification, const struct vt_spot *spot) {
  mode_t mode = vt_mode(notification), type = mode & S_IFMT;
  errno = EPERM;
  if (type && type != S_IFREG && type != S_IFIFO) return -1;
  return vt_workspace_may_act(notification) ? (int)syscall(SYS_mknodat, spot->parent, spot->name, mode, 0) : -1;
}

static int make(struct vt_notification *notification, const struct vt_spot *spot) {
  enum vt_syscall call = notification->call->call;
  if (call == VT_SYS_symlink || call == VT_SYS_symlinkat) return make_link(notification, spot);
  if (!makes_directory(notification)) return make_node(notification, spot);
  errno = EINTR;
  return vt_workspace_may_act(notification) ? mkdirat(spot->parent, spot->name, vt_mode(notification) & 01777) : -1;
}

static void make_and_notice(struct vt_notification *notification, const struct vt_resolved *place, const struct vt_spot *spot) {
  notification->error = vt_notice_objection(notification, place);
  if (notification->error) return;
  vt_workspace_finish(notification, make(notification, spot));
  if (!notification->done) return;
  vt_notice_made(notification, spot->parent, place->path, spot->name);
  vt_new_git_made(notification, spot->parent, place->path, spot->name);
}

bool vt_workspace_creates(struct vt_notification *notification, const struct vt_resolved *place) {
  struct vt_spot spot;
  vt_workspace_spot(notification, place, true, &spot);
  bool acts = vt_spot_is_in(&spot) || (spot.parent >= 0 && spot.name[0] && spot.on_the_way && makes_directory(notification));
  bool left = vt_spot_is_left(&spot);
  if (acts) make_and_notice(notification, place, &spot);
  vt_spot_close(&spot);
  return acts || left;
}

/* The owner is not asked about metadata: it may change once the owner has allowed changes of the path.
 * `own`: only the protected path itself counts. */
static bool was_approved(const struct vt_listener *listener, const struct vt_spot *spot, const char *path, bool own) {
  char by[PATH_MAX];
  if (spot->kind != VT_SPOT_PROTECTED || !spot->protected_by || vt_path_node_path(spot->protected_by, by, sizeof by) < 0) return false;
  return (!own || strcmp(by, path) == 0) && vt_questions_ask(listener->questions, NULL, by);
}

bool vt_workspace_holds(const struct vt_listener *listener, int fd, const char *path) {
  const struct vt_workspace *workspace = listener->confinement->workspace;
  struct vt_spot spot;
  struct stat own, there;
  if (!workspace || fstat(fd, &own)) return false;
  /* A directory on the way is among the protected inodes, but its metadata may change. */
  bool kept = !S_ISDIR(own.st_mode) && vt_workspace_protects(workspace, &own);
  vt_workspace_find(workspace, NULL, path, true, &spot);
  bool in = !kept && (spot.kind == VT_SPOT_HELD || spot.kind == VT_SPOT_GRANTED || spot.on_the_way);
  in = in || was_approved(listener, &spot, path, kept);
  bool holds = in && spot.parent >= 0 &&
               fstatat(spot.parent, spot.name[0] ? spot.name : ".", &there, AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT) == 0 &&
               there.st_dev == own.st_dev && there.st_ino == own.st_ino;
  vt_spot_close(&spot);
  return holds;
}
