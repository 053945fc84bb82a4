/* Landlock rules belong to files, not names: a readable file may be a hard link to a kept one. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "base/descriptors.h"
#include "base/paths.h"
#include "confine/reads/reads.h"

enum { MOST_LOOKED_AT = 20000, MOST_DEPTH = 40 };

struct look {
  struct vt_reads *reads;
  int count;
};

static void look_into(struct look *look, int parent, const char *name, int depth);

static void look_at(struct look *look, int fd, const char *name, int depth) {
  struct stat status;
  if (++look->count > MOST_LOOKED_AT || fstatat(fd, name, &status, AT_SYMLINK_NOFOLLOW)) return;
  if (S_ISDIR(status.st_mode)) look_into(look, fd, name, depth + 1);
  else if (status.st_nlink > 1) vt_inode_set_add(&look->reads->linked, &status);
}

static void look_into(struct look *look, int parent, const char *name, int depth) {
  int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  DIR *directory = vt_list(fd);
  bool out_of_room = !directory && (errno == EMFILE || errno == ENFILE || errno == ENOMEM);
  if (depth > MOST_DEPTH || out_of_room) look->count = MOST_LOOKED_AT + 1;
  if (!directory) return;
  for (struct dirent *entry; look->count <= MOST_LOOKED_AT && (entry = readdir(directory));)
    if (!vt_is_dots(entry->d_name)) look_at(look, fd, entry->d_name, depth);
  closedir(directory);
}

static void look_into_kept(struct look *look) {
  char path[PATH_MAX];
  for (const struct vt_path_node *node = look->reads->root; node; node = vt_path_node_next(node, node->kept))
    if (node->kept && vt_path_node_path(node, path, sizeof path) > 0 && strcmp(path, "/dev") != 0) look_into(look, AT_FDCWD, path, 0);
}

bool vt_reads_is_linked(struct vt_reads *reads, const struct stat *status) {
  if (S_ISDIR(status->st_mode) || status->st_nlink < 2) return false;
  if (!reads->linked_known) {
    struct look look = {reads, 0};
    look_into_kept(&look);
    reads->too_many_linked = look.count > MOST_LOOKED_AT;
    reads->linked_known = true;
  }
  return reads->too_many_linked || vt_inode_set_has(&reads->linked, status);
}
