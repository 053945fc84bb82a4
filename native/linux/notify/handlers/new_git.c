/* The configuration of a git directory that a command may make (VT_UNMADE). Programs outside may run git there at any moment, so it is
 * checked when it gets its name, and what stands there is a copy: the command may still have its own file open for writing. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/basics.h"
#include "base/files.h"
#include "confine/places/places.h"
#include "notify/handlers/workspace_ops.h"

enum { MOST_BYTES = 65536 };

/* The copy's first name: protected, and not obeyed without extensions.worktreeConfig. */
static const char before[] = "config.worktree";

static bool is_at_config(const char *path) {
  static const char end[] = "/.git/config";
  size_t length = strlen(path);
  return length >= sizeof end && strcmp(path + length - (sizeof end - 1), end) == 0;
}

void vt_new_git_made(struct vt_notification *notification, int parent, const char *path, const char *name) {
  const struct vt_path_node *node = vt_path_node_at(vt_workspace_of(notification)->places->root, path);
  if (!node || !node->unmade) return;
  if (vt_identify(parent, name, AT_SYMLINK_NOFOLLOW, &notification->listener->made_git)) notification->listener->made_git.inode = 0;
}

/* Another program, or a command beside, may have made one. */
static bool is_own(const struct vt_listener *listener, int directory) {
  struct vt_identity found;
  bool known = listener->made_git.inode && vt_identify(directory, "", AT_EMPTY_PATH, &found) == 0;
  return known && vt_identity_equals(&found, &listener->made_git);
}

static bool find_at(const struct vt_listener *listener, const int *roots, const char *path, struct vt_spot *spot) {
  const struct vt_workspace *workspace = listener->confinement->workspace;
  if (!workspace || !is_at_config(path)) return false;
  vt_workspace_find(workspace, roots, path, true, spot);
  const struct vt_path_node *node = spot->protected_by;
  bool found = spot->kind == VT_SPOT_PROTECTED && spot->parent >= 0 && node && is_own(listener, spot->parent);
  if (found && strcmp(node->text, "config") == 0 && node->parent->unmade) return true;
  vt_spot_close(spot);
  return false;
}

/* Finds it without a question to the owner. False: it is another path, or nothing is carried out for the caller. */
static bool find(struct vt_notification *notification, const struct vt_resolved *place, struct vt_spot *spot) {
  if (!notification->roots || vt_has_own_sandbox(notification)) return false;
  return find_at(notification->listener, notification->roots, place->path, spot);
}

bool vt_is_new_config(const struct vt_listener *listener, int fd) {
  struct vt_spot spot;
  struct stat own, there;
  char path[PATH_MAX];
  if (vt_path_of(fd, path, sizeof path) || !find_at(listener, NULL, path, &spot)) return false;
  bool same = fstat(fd, &own) == 0 && fstatat(spot.parent, "config", &there, AT_SYMLINK_NOFOLLOW) == 0 &&
              own.st_dev == there.st_dev && own.st_ino == there.st_ino;
  vt_spot_close(&spot);
  return same;
}

/* Reads a whole file as text; NULL: it is too large, no regular file, or has a NUL. Sets its mode. */
static char *read_text(const struct vt_notification *notification, const struct vt_spot *spot, mode_t *mode) {
  struct stat status;
  int fd = vt_as_reader_open(notification, spot->parent, spot->name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0);
  if (fd < 0) return NULL;
  bool fits = fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_size < MOST_BYTES;
  char *text = fits ? vt_must(calloc(1, MOST_BYTES + 1)) : NULL;
  ssize_t length = text ? pread(fd, text, MOST_BYTES, 0) : -1;
  close(fd);
  if (length >= 0 && length < MOST_BYTES && strlen(text) == (size_t)length) return *mode = (status.st_mode & 0777) | S_IRUSR, text;
  free(text);
  return NULL;
}

static int write_copy(int directory, const char *text, mode_t mode) {
  size_t length = strlen(text);
  int fd = openat(directory, before, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
  if (fd < 0) return -1;
  bool written = write(fd, text, length) == (ssize_t)length && fchmod(fd, mode) == 0;
  int error = written ? 0 : errno ? errno : ENOSPC;
  close(fd);
  if (!error && renameat(directory, before, directory, "config") == 0) return 0;
  if (!error) error = errno;
  unlinkat(directory, before, 0);
  errno = error;
  return -1;
}

static bool take(struct vt_notification *notification, const struct vt_spot *from, const struct vt_spot *to) {
  mode_t mode;
  char *text = vt_spot_is_in(from) ? read_text(notification, from, &mode) : NULL;
  bool plain = text && vt_git_config_is_plain(vt_workspace_of(notification), text);
  if (plain && vt_workspace_may_act(notification)) {
    int failed = write_copy(to->parent, text, mode);
    vt_workspace_finish(notification, failed || unlinkat(from->parent, from->name, 0));
  }
  free(text);
  return plain;
}

bool vt_new_config_moves(struct vt_notification *notification, const struct vt_resolved *old, const struct vt_resolved *new) {
  struct vt_spot from, to;
  if (!find(notification, new, &to)) return false;
  vt_workspace_find(vt_workspace_of(notification), notification->roots, old->path, true, &from);
  bool taken = take(notification, &from, &to);
  vt_spot_close(&from);
  vt_spot_close(&to);
  return taken;
}

/* Nothing can be written to it: EPERM. */
static int open_sealed(void) {
  int fd = memfd_create("config", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (fd >= 0) fcntl(fd, F_ADD_SEALS, F_SEAL_SEAL | F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK);
  return fd;
}

/* libgit2 makes an empty one first, closes it, and replaces it as git does (repository.c, create_empty_file). */
bool vt_new_config_opens(struct vt_notification *notification, uint32_t flags, const struct vt_resolved *place) {
  enum { LOOKED_AT = O_ACCMODE | O_CREAT | O_EXCL | O_TRUNC | O_CLOEXEC, AS_LIBGIT2 = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC };
  struct vt_spot spot;
  if ((flags & LOOKED_AT) != AS_LIBGIT2 || place->exists || !find(notification, place, &spot)) return false;
  if (vt_workspace_may_act(notification)) {
    int made = openat(spot.parent, "config", O_RDONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, vt_mode(notification));
    vt_answer_with_descriptor(notification, made < 0 ? -1 : open_sealed(), flags);
    if (made >= 0) close(made);
  }
  vt_spot_close(&spot);
  return true;
}

bool vt_new_config_removes(struct vt_notification *notification, const struct vt_resolved *place, bool directory) {
  struct vt_spot spot;
  if (directory || !find(notification, place, &spot)) return false;
  if (vt_workspace_may_act(notification)) vt_workspace_finish(notification, unlinkat(spot.parent, "config", 0));
  vt_spot_close(&spot);
  return true;
}
