#define _GNU_SOURCE
#include "workspace/workspace.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/descriptors.h"
#include "base/memory.h"
#include "base/paths.h"
#include "confine/landlock.h"
#include "confine/reads/reads.h"
#include "core.h"
#include "workspace/mounts.h"
#include "workspace/other_names.h"
#include "workspace/reuse.h"

/* Directory entries examined when a workspace is opened. */
enum { MOST_LOOKED_AT = 500000 };

int vt_workspace_add_root(struct vt_workspace *workspace, const char *path, bool private) {
  struct vt_workspace_root *root = &workspace->roots[workspace->count];
  struct stat status;
  int fd = open(path, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0 || fstat(fd, &status)) return vt_close(fd), -1;
  *root = (struct vt_workspace_root){vt_must(strdup(path)), private, fd, status.st_dev, status.st_ino};
  workspace->count++;
  return 0;
}

static size_t count_roots(const struct vt_place *places) {
  size_t count = 0;
  for (; places->kind; places++) count += places->kind == VT_ROOT;
  return count;
}

/* Each protected file once, however many protected places contain it: its names are counted. */
static int note_kept(struct vt_other_names *others, const struct vt_path_node *node, char *path) {
  int failed = 0;
  if (node->kept) return vt_path_node_path(node, path, PATH_MAX) > 0 ? vt_other_names_note(others, path) : 0;
  for (const struct vt_path_node *child = node->children; child && !failed; child = child->next)
    failed = note_kept(others, child, path);
  return failed;
}

/* Mounts last, without a search for other names: their files are out of reach, not protected. */
static int protect_all(struct vt_workspace *workspace, const struct vt_place *places) {
  struct vt_other_names others = {.budget = MOST_LOOKED_AT};
  char path[PATH_MAX]; /* one buffer, however deep the tree is */
  for (; places->kind; places++) {
    if (places->kind == VT_CLOSED) vt_reads_mark(workspace->places, places->text, VT_MARK_CLOSED);
    if (places->kind == VT_PROTECTED) vt_reads_mark(workspace->places, places->text, VT_MARK_KEPT);
  }
  int failed = note_kept(&others, workspace->places->root, path);
  if (!failed) failed = vt_mounts_protect(workspace);
  for (size_t i = 0; i < workspace->count && !failed; i++)
    failed = vt_other_names_protect(&others, workspace->places, workspace->roots[i].path);
  /* A directory that holds a name not found may be moved here later, and no watched directory would show that. */
  if (others.unseen > 0) workspace->places->watched.unsettled = true;
  vt_inode_set_free(&others.files);
  return failed;
}

static bool is_beneath_a_root(const struct vt_workspace *workspace, const char *path) {
  for (size_t i = 0; i < workspace->count; i++)
    if (vt_path_beneath(path, workspace->roots[i].path)) return true;
  return false;
}

/* Under another name, what cannot be read could be read by the next command. */
static void keep_unreadable(struct vt_workspace *workspace, const struct vt_path_node *node, char *path) {
  for (const struct vt_path_node *child = node->children; child && !node->kept; child = child->next)
    keep_unreadable(workspace, child, path);
  if (!node->kept || vt_path_node_path(node, path, PATH_MAX) < 0) return;
  if (is_beneath_a_root(workspace, path)) vt_reads_mark(workspace->places, path, VT_MARK_KEPT);
}

static int open_roots(struct vt_workspace *workspace, const struct vt_place *places) {
  for (const struct vt_place *place = places; place->kind; place++) {
    if (place->kind != VT_ROOT || vt_workspace_is_private(places, place->text)) continue;
    if (vt_workspace_add_root(workspace, place->text, false)) return -1;
    vt_reads_mark(workspace->places, place->text, VT_MARK_GRANTED);
  }
  return 0;
}

struct vt_workspace *vt_workspace_open(const struct vt_place *places, const struct vt_reads *reads) {
  char path[PATH_MAX]; /* one buffer, however deep the tree is */
  size_t count = count_roots(places);
  errno = 0;
  if (count == 0) return NULL;
  struct vt_workspace *workspace = vt_must(calloc(1, sizeof *workspace));
  workspace->roots = vt_must(calloc(count, sizeof *workspace->roots));
  workspace->references = 1;
  workspace->places = vt_reads_new();
  workspace->mounts = vt_mounts_changes();
  bool failed = open_roots(workspace, places) || protect_all(workspace, places);
  if (!failed && reads) keep_unreadable(workspace, reads->root, path);
  if (!failed) vt_workspace_watch(workspace);
  if (!failed && vt_workspace_open_private(workspace, places) == 0) return workspace;
  int error = errno;
  vt_workspace_release(workspace);
  errno = error;
  return NULL;
}

void vt_workspace_retain(struct vt_workspace *workspace) { __atomic_add_fetch(&workspace->references, 1, __ATOMIC_RELAXED); }

void vt_workspace_release(struct vt_workspace *workspace) {
  if (__atomic_sub_fetch(&workspace->references, 1, __ATOMIC_ACQ_REL) > 0) return;
  for (size_t i = 0; i < workspace->count; i++) {
    vt_close(workspace->roots[i].fd);
    free(workspace->roots[i].path);
  }
  vt_reads_release(workspace->places);
  vt_inode_set_free(&workspace->granted);
  free(workspace->roots);
  free(workspace);
}

int vt_workspace_grant(struct vt_workspace *workspace, int ruleset, int abi) {
  clock_gettime(CLOCK_REALTIME_COARSE, &workspace->granted_at); /* the clock of inodes' times */
  return vt_landlock_grant_workspace(ruleset, abi, workspace->places, &workspace->granted);
}

bool vt_workspace_protects(const struct vt_workspace *workspace, const struct stat *status) {
  return vt_inode_set_has(&workspace->places->kept, status);
}
