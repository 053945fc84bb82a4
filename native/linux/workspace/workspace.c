#define _GNU_SOURCE
#include "workspace/workspace.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/files.h"
#include "base/basics.h"
#include "confine/places/places.h"
#include "core.h"
#include "base/procfs.h"

/* Directory entries examined when a workspace is opened; paths watched, of which each costs about 1 us at the start of every
 * command. */
enum { MOST_LOOKED_AT = 500000, MOST_WATCHED = 500 };

bool vt_workspace_is_private(const struct vt_place *places, const char *root) {
  for (; places->kind; places++)
    if (places->kind == VT_WRITABLE && strcmp(places->text, root) == 0) return true;
  return false;
}

static int add_root(struct vt_workspace *workspace, const char *path, bool private) {
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

static bool holds(const struct vt_workspace *workspace, const struct vt_path_node *node, size_t root) {
  const struct vt_path_node *at = vt_path_node_at(workspace->places->root, workspace->roots[root].path);
  while (at && at != node) at = at->parent;
  return at != NULL;
}

static bool holds_root(const struct vt_workspace *workspace, const struct vt_path_node *node) {
  for (size_t i = 0; i < workspace->count; i++)
    if (holds(workspace, node, i)) return true;
  return false;
}

/* The git directory that a `.git` leads to by a link: a root of its own, with protected places of its own. The link stays kept. */
static bool is_git_directory(const struct vt_workspace *workspace, const char *path, const struct vt_path_node *node) {
  const char *name = strrchr(path, '/');
  if (!name || strcmp(name, "/.git") || holds(workspace, node, 0)) return false;
  for (size_t i = 1; i < workspace->count; i++)
    if (vt_path_node_at(workspace->places->root, workspace->roots[i].path) == node) return true;
  return false;
}

/* -1 with ELOOP where a link on the way leads to a root or above: everything in it would be protected. */
static int keep(const struct vt_workspace *workspace, const char *path) {
  char end[PATH_MAX];
  struct vt_path_node *node = vt_places_mark(workspace->places, path, VT_MARK_KEPT);
  if (!node || !holds_root(workspace, node)) return 0;
  if (vt_path_node_path(node, end, sizeof end) < 0 || strcmp(end, path) == 0) return 0;
  if (is_git_directory(workspace, path, node)) return node->kept = false, 0;
  errno = ELOOP;
  return -1;
}

/* Each file once, though the list may name it twice, or by links: a name counted twice would pass for two. */
static int note_protected(const struct vt_workspace *workspace, struct vt_other_names *others) {
  for (struct vt_path_node *node = workspace->places->root; node;) {
    bool reached = node->kept && node->reached;
    if (reached && !node->noted && vt_other_names_note(others, node)) return -1;
    node->noted = node->noted || reached;
    node = (struct vt_path_node *)vt_path_node_next(node, reached);
  }
  return 0;
}

/* Links lead to more, with more links in it. */
static int note_all(const struct vt_workspace *workspace, struct vt_other_names *others) {
  int failed = note_protected(workspace, others);
  for (size_t followed = 0; !failed && followed < others->link_count;) {
    while (!failed && followed < others->link_count) failed = keep(workspace, others->links[followed++]);
    if (!failed) failed = note_protected(workspace, others);
  }
  return failed;
}

/* Whether a path is a root (unless `inside`), or beneath one. */
static bool is_in_root(const struct vt_workspace *workspace, const char *path, bool inside) {
  for (size_t i = 0; i < workspace->count; i++) {
    const char *rest = vt_path_beneath(path, workspace->roots[i].path);
    if (rest && (*rest || !inside)) return true;
  }
  return false;
}

/* Landlock's grants for the roots extend into mounts beneath them (landlock(7)). */
static void protect_mount(void *context, const char *path) {
  struct vt_workspace *workspace = context;
  if (!is_in_root(workspace, path, true)) return;
  vt_places_mark(workspace->places, path, VT_MARK_KEPT);
  workspace->has_mounts = true;
}

static bool is_there(const char *path) {
  struct stat status;
  return lstat(path, &status) == 0 || errno != ENOENT;
}

/* Mounts last, without a search for other names: their files are out of reach, not protected. */
static int protect_all(struct vt_workspace *workspace, const struct vt_place *places) {
  struct vt_other_names others = {.budget = MOST_LOOKED_AT};
  int failed = 0;
  for (; places->kind && !failed; places++) {
    if (places->kind == VT_CLOSED) vt_places_mark(workspace->places, places->text, VT_MARK_CLOSED);
    if (places->kind == VT_PROTECTED) failed = keep(workspace, places->text);
    /* Made since the list was: by another program. */
    if (places->kind == VT_UNMADE) vt_places_mark(workspace->places, places->text, is_there(places->text) ? VT_MARK_KEPT : VT_MARK_UNMADE);
  }
  if (!failed) failed = note_all(workspace, &others);
  if (!failed) failed = vt_mounts_each(workspace, protect_mount);
  for (size_t i = 0; i < workspace->count && !failed; i++)
    failed = vt_other_names_protect(&others, workspace->places, workspace->roots[i].path);
  /* A directory that holds a name not found may be moved here later, and no watched directory would show that. */
  if (others.unseen > 0) workspace->places->watched.unsettled = true;
  int error = errno;
  vt_other_names_free(&others);
  errno = error;
  return failed;
}

/* Under another name, what cannot be read could be read by the next command. */
static void keep_unreadable(struct vt_workspace *workspace, const struct vt_places *reads) {
  char path[PATH_MAX];
  for (const struct vt_path_node *node = reads->root; node; node = vt_path_node_next(node, node->kept)) {
    if (!node->kept || vt_path_node_path(node, path, sizeof path) < 0) continue;
    if (is_in_root(workspace, path, false)) vt_places_mark(workspace->places, path, VT_MARK_KEPT);
  }
}

static int open_roots(struct vt_workspace *workspace, const struct vt_place *places) {
  for (const struct vt_place *place = places; place->kind; place++) {
    if (place->kind != VT_ROOT || vt_workspace_is_private(places, place->text)) continue;
    if (add_root(workspace, place->text, false)) return -1;
    vt_places_mark(workspace->places, place->text, VT_MARK_GRANTED);
  }
  return 0;
}

/* A protected file may get a hard link where commands may write, and a file from there one in a protected directory. A missing
 * path is not watched: its creation changes the directory above. */
static void watch_beneath(struct vt_dir_snapshot *watched, char *path, bool is_directory) {
  if (access(path, F_OK)) return;
  if (watched->count >= MOST_WATCHED) watched->unsettled = true;
  if (watched->unsettled) return;
  vt_dir_snapshot_add(watched, path, VT_DIR_SNAPSHOT_ENTRIES);
  size_t length = strlen(path);
  DIR *directory = is_directory ? opendir(path) : NULL;
  if (is_directory && !directory && errno != ENOTDIR && errno != EACCES) watched->unsettled = true;
  for (struct dirent *entry; directory && (entry = readdir(directory));) {
    if (vt_is_dots(entry->d_name)) continue;
    if (length + strlen(entry->d_name) + 2 > PATH_MAX) watched->unsettled = true;
    else sprintf(path + length, "/%s", entry->d_name);
    if (entry->d_type == DT_UNKNOWN) watched->unsettled = true;
    watch_beneath(watched, path, entry->d_type == DT_DIR);
    path[length] = 0;
  }
  if (directory) closedir(directory);
}

/* Never looks into a mount: its file system may not answer. */
static void watch_all(struct vt_workspace *workspace) {
  char path[PATH_MAX];
  struct vt_dir_snapshot *watched = &workspace->places->watched;
  if (workspace->has_mounts || workspace->mounts < 0) watched->unsettled = true;
  if (watched->unsettled) return;
  vt_places_watch(workspace->places);
  for (const struct vt_path_node *node = workspace->places->root; node; node = vt_path_node_next(node, node->kept))
    if (node->kept && vt_path_node_path(node, path, sizeof path) > 0) watch_beneath(watched, path, true);
}

static int open_private(struct vt_workspace *workspace, const struct vt_place *places) {
  for (const struct vt_place *place = places; place->kind; place++) {
    if (place->kind != VT_ROOT || !vt_workspace_is_private(places, place->text)) continue;
    if (add_root(workspace, place->text, true)) return -1;
  }
  return 0;
}

struct vt_workspace *vt_workspace_open(const struct vt_place *places, const struct vt_places *reads) {
  size_t count = count_roots(places);
  errno = 0;
  if (count == 0) return NULL;
  struct vt_workspace *workspace = vt_must(calloc(1, sizeof *workspace));
  workspace->roots = vt_must(calloc(count, sizeof *workspace->roots));
  workspace->references = 1;
  workspace->places = vt_places_new();
  workspace->mounts = vt_mounts_changes();
  bool failed = open_roots(workspace, places) || protect_all(workspace, places);
  if (!failed && reads) keep_unreadable(workspace, reads);
  if (!failed) watch_all(workspace);
  if (!failed && open_private(workspace, places) == 0) return workspace;
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
  vt_places_release(workspace->places);
  vt_inode_set_free(&workspace->granted);
  free(workspace->roots);
  free(workspace);
}

bool vt_workspace_protects(const struct vt_workspace *workspace, const struct stat *status) {
  return vt_inode_set_has(&workspace->places->kept, status);
}

const struct vt_workspace_root *vt_workspace_root_of(const struct vt_workspace *workspace, const char *path) {
  const struct vt_workspace_root *found = NULL;
  for (size_t i = 0; i < workspace->count; i++) {
    const struct vt_workspace_root *root = &workspace->roots[i];
    if (vt_path_beneath(path, root->path) && (!found || strlen(root->path) > strlen(found->path))) found = root;
  }
  return found;
}

bool vt_workspace_lasts(const struct vt_workspace *workspace) { return !workspace->places->watched.unsettled; }

static void close_root(struct vt_workspace_root *root) {
  vt_close(root->fd);
  root->fd = -1;
}

void vt_workspace_rest(struct vt_workspace *workspace) {
  for (size_t i = 0; i < workspace->count; i++) close_root(&workspace->roots[i]);
  while (workspace->count > 0 && workspace->roots[workspace->count - 1].is_private) free(workspace->roots[--workspace->count].path);
}

int vt_workspace_open_root(const struct vt_workspace_root *root) {
  struct stat status;
  int fd = open(root->path, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0 || (fstat(fd, &status) == 0 && status.st_dev == root->device && status.st_ino == root->inode)) return fd;
  vt_close(fd);
  return -1;
}

bool vt_workspace_resume(struct vt_workspace *workspace, const struct vt_place *places) {
  if (vt_mounts_changes() != workspace->mounts || !vt_dir_snapshot_unchanged(&workspace->places->watched)) return false;
  for (size_t i = 0; i < workspace->count; i++)
    if ((workspace->roots[i].fd = vt_workspace_open_root(&workspace->roots[i])) < 0) return false;
  return open_private(workspace, places) == 0;
}
