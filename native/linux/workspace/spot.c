#define _GNU_SOURCE
#include "workspace/spot.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/kernel.h"
#include "base/paths.h"
#include "confine/reads/reads.h"
#include "workspace/spelling.h"
#include "workspace/workspace.h"

static int open_beneath(int root, const char *path) {
  return vt_openat2(root, *path ? path : ".", O_PATH | O_DIRECTORY | O_CLOEXEC,
                    RESOLVE_IN_MOUNT | RESOLVE_NO_MAGIC | RESOLVE_NO_LINKS | RESOLVE_BELOW);
}

/* The innermost root that contains the path. */
static const struct vt_workspace_root *root_of(const struct vt_workspace *workspace, const char *path) {
  const struct vt_workspace_root *found = NULL;
  for (size_t i = 0; i < workspace->count; i++) {
    const struct vt_workspace_root *root = &workspace->roots[i];
    if (vt_path_beneath(path, root->path) && (!found || strlen(root->path) > strlen(found->path))) found = root;
  }
  return found;
}

/* File systems reuse the number of a removed inode, whose rule is gone. Created in the same clock tick: unsure, so false. */
static bool is_older(int fd, const struct timespec *time) {
  struct statx found;
  if (syscall(SYS_statx, fd, "", AT_EMPTY_PATH | AT_NO_AUTOMOUNT, STATX_BTIME, &found) || !(found.stx_mask & STATX_BTIME)) return false;
  if (found.stx_btime.tv_sec != time->tv_sec) return found.stx_btime.tv_sec < time->tv_sec;
  return (long)found.stx_btime.tv_nsec < time->tv_nsec;
}

/* Classifies a directory in a cut one by its inode: it has a rule only if it existed when the ruleset was made, and its name may
 * be a spelling of a protected one that vt_spells() does not know (vfat: GIT~1). */
static enum vt_spot_kind beneath_entry(const struct vt_workspace *workspace, int root, const char *rest, size_t length) {
  char path[PATH_MAX];
  struct stat status;
  enum vt_spot_kind kind = VT_SPOT_HELD;
  snprintf(path, sizeof path, "%.*s", (int)length, rest);
  int fd = open_beneath(root, path);
  if (fd < 0) return kind;
  if (fstat(fd, &status) || vt_workspace_protects(workspace, &status)) kind = VT_SPOT_PROTECTED;
  else if (vt_inode_set_has(&workspace->granted, &status) && is_older(fd, &workspace->granted_at)) kind = VT_SPOT_GRANTED;
  close(fd);
  return kind;
}

/* Whether the file system tells this file's name from the protected one that it may spell: it has a file by this name, and by the
 * other nothing, or something else. The command cannot bring that about: it can make neither of the two. */
static bool is_kept_apart(int root, const char *rest, const char *name, size_t length, const struct vt_path_node *child) {
  char directory[PATH_MAX], given[NAME_MAX + 1];
  struct stat this, other;
  if (length > NAME_MAX) return false;
  snprintf(directory, sizeof directory, "%.*s", (int)(name - rest), rest);
  snprintf(given, sizeof given, "%.*s", (int)length, name);
  int fd = open_beneath(root, directory);
  if (fd < 0) return false;
  bool exists = fstatat(fd, given, &this, AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT) == 0 && !S_ISDIR(this.st_mode);
  bool apart = exists && (fstatat(fd, child->text, &other, AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT)
                            ? errno == ENOENT
                            : this.st_ino != other.st_ino || this.st_dev != other.st_dev);
  close(fd);
  return apart;
}

/* The place that is called `name`, or may be, up to `end`. A directory with a rule is itself, however it is spelled. */
static const struct vt_path_node *child_of(const struct vt_workspace *workspace, int root, const struct vt_path_node *node,
                                           const char *rest, const char *name, const char *end) {
  size_t length = (size_t)(end - name);
  const struct vt_path_node *child = vt_path_node_child(node, name, length);
  if (child || !node->cut) return child;
  child = node->children;
  while (child && !vt_spells(child->text, name, length)) child = child->next;
  if (!child) return NULL;
  bool has_rule = *end && beneath_entry(workspace, root, rest, (size_t)(end - rest)) == VT_SPOT_GRANTED;
  return has_rule || is_kept_apart(root, rest, name, length, child) ? NULL : child;
}

/* Walks the names beneath the root, as far as the tree of places goes. */
static enum vt_spot_kind classify(const struct vt_workspace *workspace, const struct vt_workspace_root *root, int root_fd,
                                  const char *rest, struct vt_spot *spot) {
  const struct vt_path_node *node = vt_path_node_at(workspace->places->root, root->path);
  spot->alike = root->is_private || (node && !node->cut && !node->children);
  if (root->is_private) return *rest ? VT_SPOT_GRANTED : VT_SPOT_HELD;
  if (!node || !node->cut) return node && *rest ? VT_SPOT_GRANTED : VT_SPOT_HELD;
  for (const char *at = rest; *(at += strspn(at, "/"));) {
    const char *name = at;
    at += strcspn(at, "/");
    const struct vt_path_node *child = child_of(workspace, root_fd, node, rest, name, at);
    if (child ? child->kept : node->closed) {
      spot->protected_by = child ? child : node;
      return VT_SPOT_PROTECTED;
    }
    spot->alike = !child && *at;
    if (!child) return *at ? beneath_entry(workspace, root_fd, rest, (size_t)(at - rest)) : VT_SPOT_HELD;
    spot->on_the_way = !*at;
    node = child;
  }
  return spot->on_the_way ? VT_SPOT_PROTECTED : VT_SPOT_HELD;
}

static bool split(const char *rest, char *directory, char *name) {
  const char *slash = strrchr(rest, '/');
  size_t before = slash > rest ? (size_t)(slash - rest) : 0;
  if (!*rest) directory[0] = name[0] = 0;
  if (!*rest) return true;
  if (strlen(slash + 1) > NAME_MAX) return false;
  strcpy(name, slash + 1);
  memcpy(directory, rest + 1, before ? before - 1 : 0);
  directory[before ? before - 1 : 0] = 0;
  return true;
}

/* By its path; -1 if that is no longer the same directory. */
static int open_root(const struct vt_workspace_root *root) {
  struct stat status;
  int fd = open(root->path, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0 || (fstat(fd, &status) == 0 && status.st_dev == root->device && status.st_ino == root->inode)) return fd;
  close(fd);
  return -1;
}

static bool is_other_name(const struct vt_workspace *workspace, const struct vt_spot *spot) {
  struct stat status;
  if (!spot->name[0] || fstatat(spot->parent, spot->name, &status, AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT)) return false;
  return vt_workspace_protects(workspace, &status);
}

static void find_beneath(const struct vt_workspace *workspace, const struct vt_workspace_root *root, int fd, const char *rest,
                         bool acts, struct vt_spot *spot) {
  char directory[PATH_MAX];
  if (!split(rest[0] == '/' ? rest : "", directory, spot->name)) return;
  spot->kind = classify(workspace, root, fd, rest + strspn(rest, "/"), spot);
  if (spot->kind != VT_SPOT_HELD && !spot->on_the_way && !(acts && spot->kind != VT_SPOT_OUTSIDE)) return;
  spot->parent = open_beneath(fd, directory);
  if (spot->parent < 0) spot->kind = VT_SPOT_OUTSIDE;
  else if (spot->kind == VT_SPOT_HELD && is_other_name(workspace, spot)) spot->kind = VT_SPOT_PROTECTED;
}

void vt_workspace_find(const struct vt_workspace *workspace, const int *roots, const char *path, bool acts, struct vt_spot *spot) {
  const struct vt_workspace_root *root = root_of(workspace, path);
  spot->parent = -1;
  spot->kind = VT_SPOT_OUTSIDE;
  spot->alike = spot->on_the_way = spot->borrowed = false;
  spot->protected_by = NULL;
  int fd = !root ? -1 : roots ? roots[root - workspace->roots] : open_root(root);
  if (fd < 0) return;
  find_beneath(workspace, root, fd, path + strlen(root->path), acts, spot);
  if (!roots) close(fd);
}

void vt_spot_close(struct vt_spot *spot) {
  if (spot->parent >= 0 && !spot->borrowed) close(spot->parent);
  spot->parent = -1;
}
