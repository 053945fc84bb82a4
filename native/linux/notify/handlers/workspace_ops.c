#define _GNU_SOURCE
#include "notify/handlers/workspace_ops.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/paths.h"
#include "confine/confinement.h"
#include "confine/filter/seccomp_constants.h"
#include "notify/caller/borrow_fd.h"
#include "confine/reads/path_tree.h"
#include "notify/caller/as_reader.h"
#include "notify/caller/own_sandbox.h"
#include "workspace/known.h"
#include "workspace/questions.h"
#include "notify/fsize.h"
#include "notify/workspace_server.h"
#include "workspace/spot.h"
#include "workspace/workspace.h"

/* linux/fs.h: RENAME_* */
enum { NO_REPLACE = 1, EXCHANGE = 2 };

static const struct vt_workspace *workspace_of(const struct vt_notification *notification) {
  return notification->listener->confinement->workspace;
}

/* Notes the outcome of a call that was carried out. Returns true. */
static bool finish(struct vt_notification *notification, int failed) {
  notification->error = failed ? errno : 0;
  notification->done = !failed;
  return true;
}

/* False: the caller is gone, and nothing is carried out. */
static bool may_act(struct vt_notification *notification) {
  if (vt_workspace_server_may_act(notification)) return true;
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
  return spot->kind = VT_SPOT_OUTSIDE;
}

enum vt_spot_kind vt_workspace_spot(struct vt_notification *notification, const struct vt_resolved *place, bool acts, struct vt_spot *spot) {
  const struct stat *status = place->exists ? &place->status : NULL;
  spot->parent = -1;
  spot->kind = VT_SPOT_OUTSIDE;
  if (place->known) vt_known_spot(place->known, workspace_of(notification), place->name, status, spot);
  else if (notification->roots) vt_workspace_find(workspace_of(notification), notification->roots, place->path, acts, spot);
  if (spot->kind != VT_SPOT_GRANTED && vt_has_own_sandbox(notification)) return leave_to_own_sandbox(notification, spot);
  if (place->known || !is_approved(notification, spot, place)) return spot->kind;
  vt_spot_close(spot);
  vt_workspace_find(workspace_of(notification), notification->roots, place->path, true, spot);
  if (spot->kind == VT_SPOT_PROTECTED && spot->protected_by && spot->parent >= 0) spot->kind = VT_SPOT_HELD;
  return spot->kind;
}

static mode_t mode_of(const struct vt_notification *notification) {
  enum vt_syscall call = notification->call->call;
  bool third = call == VT_SYS_open || call == VT_SYS_mkdirat || call == VT_SYS_mknodat;
  return (mode_t)vt_argument(notification, call == VT_SYS_openat ? 3 : third ? 2 : 1);
}

/* Regular files and FIFOs. */
static bool is_plain(const struct vt_notification *notification, const struct stat *status) {
  bool plain = S_ISREG(status->st_mode) || S_ISFIFO(status->st_mode);
  return plain && (notification->approved || !vt_workspace_protects(workspace_of(notification), status));
}

/* Opens without truncating, since only the opened file shows what it is. Never blocks: on a FIFO without a reader it fails with
 * ENXIO. */
static int open_plain(const struct vt_notification *notification, const struct vt_spot *spot, uint32_t flags) {
  struct stat status;
  int wanted = (int)(flags & ~(uint32_t)(O_TRUNC | O_CLOEXEC)) | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
  int fd = vt_as_reader_open(notification, spot->parent, spot->name[0] ? spot->name : ".", wanted, mode_of(notification));
  if (fd < 0) return -1;
  int error = fstat(fd, &status) ? errno : !is_plain(notification, &status) ? EACCES : 0;
  if (!error && (flags & O_TRUNC) && S_ISREG(status.st_mode) && ftruncate(fd, 0)) error = errno;
  if (!error && !(flags & O_NONBLOCK) && fcntl(fd, F_SETFL, (int)flags)) error = errno;
  if (!error) return fd;
  close(fd);
  errno = error;
  return -1;
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
  finish(notification, notification->send_fd < 0);
  if (notification->error == ENXIO) notification->fifo = find_fifo(notification, spot, flags);
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

bool vt_workspace_opens(struct vt_notification *notification, uint32_t flags, const struct vt_resolved *place) {
  struct vt_spot spot;
  if (!is_meant(flags, place)) return false;
  enum vt_spot_kind kind = vt_workspace_spot(notification, place, false, &spot);
  if (kind == VT_SPOT_GRANTED) return true;
  bool acts = kind == VT_SPOT_HELD && is_openable(notification, flags, place);
  if (acts && may_act(notification)) open_spot(notification, &spot, flags);
  vt_spot_close(&spot);
  return acts;
}

bool vt_workspace_truncates(struct vt_notification *notification, const struct vt_resolved *place) {
  struct vt_spot spot;
  enum vt_spot_kind kind = vt_workspace_spot(notification, place, false, &spot);
  if (kind == VT_SPOT_GRANTED) return true;
  bool acts = kind == VT_SPOT_HELD && is_openable(notification, O_WRONLY, place);
  if (acts && may_act(notification)) {
    int fd = open_plain(notification, &spot, O_WRONLY);
    finish(notification, fd < 0 || vt_fsize_truncate(notification->caller.thread, fd, (off_t)vt_argument(notification, 1)));
    if (fd >= 0) close(fd);
  }
  vt_spot_close(&spot);
  return acts;
}

bool vt_workspace_removes(struct vt_notification *notification, const struct vt_resolved *place, bool directory) {
  struct vt_spot spot;
  enum vt_spot_kind kind = vt_workspace_spot(notification, place, false, &spot);
  if (kind == VT_SPOT_GRANTED) return true;
  bool acts = spot.parent >= 0 && spot.name[0] && (kind == VT_SPOT_HELD || (spot.on_the_way && directory));
  if (acts && may_act(notification)) finish(notification, unlinkat(spot.parent, spot.name, directory ? AT_REMOVEDIR : 0));
  vt_spot_close(&spot);
  return acts;
}

static bool makes_directory(const struct vt_notification *notification) {
  return notification->call->call == VT_SYS_mkdir || notification->call->call == VT_SYS_mkdirat;
}

static int make_link(struct vt_notification *notification, const struct vt_spot *spot) {
  char target[PATH_MAX];
  int error = vt_caller_string(&notification->caller, vt_argument(notification, 0), target, sizeof target);
  if (!error && may_act(notification)) return symlinkat(target, spot->parent, spot->name);
  errno = error ? error : EINTR;
  return -1;
}

/* Regular files and FIFOs only: devices reach beyond the workspace. By number, because mknodat(3) needs glibc 2.33. */
static int make_node(struct vt_notification *notification, const struct vt_spot *spot) {
  mode_t mode = mode_of(notification), type = mode & S_IFMT;
  errno = EPERM;
  if (type && type != S_IFREG && type != S_IFIFO) return -1;
  return may_act(notification) ? (int)syscall(SYS_mknodat, spot->parent, spot->name, mode, 0) : -1;
}

static int make(struct vt_notification *notification, const struct vt_spot *spot) {
  enum vt_syscall call = notification->call->call;
  if (call == VT_SYS_symlink || call == VT_SYS_symlinkat) return make_link(notification, spot);
  if (!makes_directory(notification)) return make_node(notification, spot);
  errno = EINTR;
  return may_act(notification) ? mkdirat(spot->parent, spot->name, mode_of(notification) & 01777) : -1;
}

bool vt_workspace_creates(struct vt_notification *notification, const struct vt_resolved *place) {
  struct vt_spot spot;
  enum vt_spot_kind kind = vt_workspace_spot(notification, place, false, &spot);
  if (kind == VT_SPOT_GRANTED) return true;
  bool acts = spot.parent >= 0 && spot.name[0] && (kind == VT_SPOT_HELD || (spot.on_the_way && makes_directory(notification)));
  if (acts) finish(notification, make(notification, &spot));
  vt_spot_close(&spot);
  return acts;
}

/* Both names in the workspace, unprotected. Neither a root nor a directory on the way to something protected may move: else a
 * filled directory could come to stand there. */
static bool both_held(const struct vt_spot *old, const struct vt_spot *new) {
  bool in = (old->kind == VT_SPOT_HELD || old->kind == VT_SPOT_GRANTED) && (new->kind == VT_SPOT_HELD || new->kind == VT_SPOT_GRANTED);
  return in && old->parent >= 0 && new->parent >= 0 && old->name[0] && new->name[0];
}

bool vt_workspace_links(struct vt_notification *notification, const struct vt_resolved *old, const struct vt_resolved *new) {
  struct vt_spot from, to;
  vt_workspace_spot(notification, old, true, &from);
  vt_workspace_spot(notification, new, true, &to);
  bool granted = from.kind == VT_SPOT_GRANTED && to.kind == VT_SPOT_GRANTED;
  bool acts = !granted && both_held(&from, &to) && !(old->exists && vt_workspace_protects(workspace_of(notification), &old->status));
  if (acts && may_act(notification)) finish(notification, vt_as_reader_move(notification, SYS_linkat, from.parent, from.name, to.parent, to.name, 0));
  vt_spot_close(&from);
  vt_spot_close(&to);
  return granted || acts;
}

static bool is_writable(int fd) {
  int mode = fcntl(fd, F_GETFL) & (O_ACCMODE | O_PATH);
  return mode == O_WRONLY || mode == O_RDWR;
}

/* A file without a name, opened for writing by the command (O_TMPFILE), or one of the workspace that may be changed. */
static bool may_name(const struct vt_notification *notification, int fd) {
  struct stat status;
  char path[PATH_MAX];
  if (fstat(fd, &status) || !S_ISREG(status.st_mode) || vt_workspace_protects(workspace_of(notification), &status)) return false;
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
  if (acts && may_act(notification)) finish(notification, link_file(notification, &spot, fd));
  if (fd >= 0) close(fd);
  vt_spot_close(&spot);
  return acts;
}

static uint32_t rename_flags(const struct vt_notification *notification) {
  return notification->call->call == VT_SYS_renameat2 ? (uint32_t)vt_argument(notification, 4) : 0;
}

bool vt_workspace_renames(struct vt_notification *notification, const struct vt_resolved *old, const struct vt_resolved *new) {
  struct vt_spot from, to;
  uint32_t flags = rename_flags(notification);
  vt_workspace_spot(notification, old, true, &from);
  vt_workspace_spot(notification, new, true, &to);
  bool granted = from.kind == VT_SPOT_GRANTED && to.kind == VT_SPOT_GRANTED;
  bool acts = !granted && both_held(&from, &to) && !(flags & ~(uint32_t)(NO_REPLACE | EXCHANGE));
  bool directory = (old->exists && S_ISDIR(old->status.st_mode)) || (new->exists && S_ISDIR(new->status.st_mode));
  if (acts && may_act(notification)) finish(notification, vt_as_reader_move(notification, SYS_renameat2, from.parent, from.name, to.parent, to.name, flags));
  if (acts && directory && notification->known_directories) vt_known_forget(notification->known_directories);
  vt_spot_close(&from);
  vt_spot_close(&to);
  return granted || acts;
}
