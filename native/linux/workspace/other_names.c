#define _GNU_SOURCE
#include "workspace/workspace.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/files.h"
#include "base/basics.h"
#include "confine/places/places.h"

enum { MOST_DEPTH = 100 }; /* of directories; each level holds a descriptor open */

struct walk {
  struct vt_other_names *names;
  struct vt_places *places; /* NULL: notes files; else protects their other names */
  char path[PATH_MAX];
};

static int too_much(void) {
  errno = EMLINK;
  return -1;
}

static bool is_out_of_room(void) { return errno == EMFILE || errno == ENFILE || errno == ENOMEM; }

static int incomplete(void) { return is_out_of_room() ? -1 : too_much(); }

/* Does not cross mounts: hard links cannot, and a bind mount would show a directory twice. */
static DIR *open_list(int parent, const char *name) {
  int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
  int fd = parent == AT_FDCWD ? open(name, flags)
                              : vt_openat2(parent, name, flags, RESOLVE_IN_MOUNT | RESOLVE_NO_LINKS | RESOLVE_BELOW);
  return vt_list(fd);
}

static int look_into(struct walk *walk, int parent, const char *name, const struct vt_path_node *node, int depth);

static void note_file(struct vt_other_names *names, const struct stat *status) {
  if (vt_inode_set_has(&names->files, status)) names->unseen--;
  else names->unseen += status->st_nlink - 1;
  vt_inode_set_add(&names->files, status);
}

static void meet_file(struct walk *walk, const struct stat *status) {
  if (status->st_nlink < 2) return;
  if (!walk->places) return note_file(walk->names, status);
  if (!vt_inode_set_has(&walk->names->files, status)) return;
  vt_places_mark(walk->places, walk->path, VT_MARK_KEPT);
  walk->names->unseen--;
}

static void note_link(struct vt_other_names *names, const char *path) {
  if (names->link_count == names->link_room) {
    names->link_room = names->link_room ? names->link_room * 2 : 16;
    names->links = vt_must(realloc(names->links, names->link_room * sizeof *names->links));
  }
  names->links[names->link_count++] = vt_must(strdup(path));
}

static int look_at(struct walk *walk, int directory, const struct dirent *entry, const struct vt_path_node *parent, int depth) {
  struct stat status;
  size_t before = strlen(walk->path), length = strlen(entry->d_name);
  const struct vt_path_node *node = parent ? vt_path_node_child(parent, entry->d_name, length) : NULL;
  if (node && (walk->places ? node->kept : node->noted)) return 0;
  if (walk->names->budget-- <= 0 || before + length + 2 > sizeof walk->path) return too_much();
  if (fstatat(directory, entry->d_name, &status, AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT)) return errno == ENOENT ? 0 : -1;
  walk->path[before] = '/';
  memcpy(walk->path + before + 1, entry->d_name, length + 1);
  int failed = 0;
  if (S_ISDIR(status.st_mode)) failed = look_into(walk, directory, entry->d_name, node, depth + 1);
  else if (S_ISREG(status.st_mode)) meet_file(walk, &status);
  else if (S_ISLNK(status.st_mode) && !walk->places) note_link(walk->names, walk->path);
  walk->path[before] = 0;
  return failed;
}

static bool is_done(const struct walk *walk) { return walk->places && walk->names->unseen == 0; }

/* What is in it can be neither listed nor opened. -1 with EACCES: it can be opened, by who knows its name. */
static int pass_by(int parent, const char *name) {
  if (faccessat(parent, name, X_OK, AT_EACCESS | AT_SYMLINK_NOFOLLOW)) return 0;
  errno = EACCES;
  return -1;
}

static int look_into(struct walk *walk, int parent, const char *name, const struct vt_path_node *node, int depth) {
  if (depth > MOST_DEPTH) return too_much();
  DIR *list = open_list(parent, name);
  if (!list && errno == EACCES && !walk->places) return pass_by(parent, name); /* noting goes on beside it */
  if (!list) return errno == EXDEV || errno == ENOENT ? 0 : -1;
  int failed = 0;
  for (struct dirent *entry; !failed && !is_done(walk) && (entry = readdir(list));)
    if (!vt_is_dots(entry->d_name)) failed = look_at(walk, dirfd(list), entry, node, depth);
  vt_close_directory(list);
  return failed;
}

/* Not over links: where they lead is kept too, and a file that is met twice would have one unseen name less. */
static int look_directly(const char *path, struct stat *status) {
  int fd = vt_openat2(AT_FDCWD, path, O_PATH | O_NOFOLLOW | O_CLOEXEC, RESOLVE_NO_LINKS);
  if (fd < 0) return -1;
  int failed = fstat(fd, status);
  close(fd);
  return failed;
}

/* A directory that this user can neither read nor enter is left out: the user's programs cannot act on what is in it either. */
int vt_other_names_note(struct vt_other_names *names, const struct vt_path_node *node) {
  struct walk walk = {.names = names};
  struct stat status;
  if (vt_path_node_path(node, walk.path, sizeof walk.path) < 0) return 0;
  if (look_directly(walk.path, &status)) return is_out_of_room() ? -1 : 0;
  if (S_ISREG(status.st_mode)) meet_file(&walk, &status);
  if (!S_ISDIR(status.st_mode)) return 0;
  if (look_into(&walk, AT_FDCWD, walk.path, node, 0) == 0) return 0;
  return errno == EACCES ? -1 : incomplete();
}

int vt_other_names_protect(struct vt_other_names *names, struct vt_places *places, const char *root) {
  struct walk walk = {.names = names, .places = places};
  if (is_done(&walk) || strlen(root) >= sizeof walk.path) return 0;
  strcpy(walk.path, root);
  return look_into(&walk, AT_FDCWD, root, vt_path_node_at(places->root, root), 0) ? incomplete() : 0;
}

void vt_other_names_free(struct vt_other_names *names) {
  vt_inode_set_free(&names->files);
  for (size_t i = 0; i < names->link_count; i++) free(names->links[i]);
  free(names->links);
}
