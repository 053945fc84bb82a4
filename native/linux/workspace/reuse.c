#define _GNU_SOURCE
#include "workspace/reuse.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/descriptors.h"
#include "base/paths.h"
#include "confine/reads/reads.h"
#include "core.h"
#include "workspace/mounts.h"
#include "workspace/workspace.h"

/* Paths; each costs about 1 us at the start of every command. */
enum { MOST_WATCHED = 500 };

bool vt_workspace_is_private(const struct vt_place *places, const char *root) {
  for (; places->kind; places++)
    if (places->kind == VT_WRITABLE && strcmp(places->text, root) == 0) return true;
  return false;
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
void vt_workspace_watch(struct vt_workspace *workspace) {
  char path[PATH_MAX];
  struct vt_dir_snapshot *watched = &workspace->places->watched;
  if (workspace->has_mounts || workspace->mounts < 0) watched->unsettled = true;
  if (watched->unsettled) return;
  vt_reads_watch(workspace->places);
  for (const struct vt_path_node *node = workspace->places->root; node; node = vt_path_node_next(node, node->kept))
    if (node->kept && vt_path_node_path(node, path, sizeof path) > 0) watch_beneath(watched, path, true);
}

bool vt_workspace_lasts(const struct vt_workspace *workspace) { return !workspace->places->watched.unsettled; }

int vt_workspace_open_private(struct vt_workspace *workspace, const struct vt_place *places) {
  for (const struct vt_place *place = places; place->kind; place++) {
    if (place->kind != VT_ROOT || !vt_workspace_is_private(places, place->text)) continue;
    if (vt_workspace_add_root(workspace, place->text, true)) return -1;
  }
  return 0;
}

static void close_root(struct vt_workspace_root *root) {
  vt_close(root->fd);
  root->fd = -1;
}

void vt_workspace_rest(struct vt_workspace *workspace) {
  for (size_t i = 0; i < workspace->count; i++) close_root(&workspace->roots[i]);
  while (workspace->count > 0 && workspace->roots[workspace->count - 1].is_private) free(workspace->roots[--workspace->count].path);
}

static bool reopen(struct vt_workspace_root *root) {
  struct stat status;
  root->fd = open(root->path, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  return root->fd >= 0 && fstat(root->fd, &status) == 0 && status.st_dev == root->device && status.st_ino == root->inode;
}

bool vt_workspace_resume(struct vt_workspace *workspace, const struct vt_place *places) {
  if (vt_mounts_changes() != workspace->mounts || !vt_dir_snapshot_unchanged(&workspace->places->watched)) return false;
  for (size_t i = 0; i < workspace->count; i++)
    if (!reopen(&workspace->roots[i])) return false;
  return vt_workspace_open_private(workspace, places) == 0;
}
