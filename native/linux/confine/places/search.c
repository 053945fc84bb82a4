/* Searches for files that are kept because of their name; breadth first, so that the bound cuts off the deepest. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core.h"
#include "base/basics.h"
#include "base/files.h"
#include "confine/places/places.h"

enum { MOST_DIRECTORIES = 2000, MOST_FOUND = 1000, MOST_MS = 200 };

struct search {
  struct vt_places *places;
  char *queue[MOST_DIRECTORIES];
  size_t queue_length;
  int64_t deadline;
};

static bool fits(const struct vt_places *places, const char *name, enum vt_place_kind kind) {
  for (const struct vt_place *place = places->given; place->kind; place++)
    if (place->kind == kind && fnmatch(place->text, name, 0) == 0) return true;
  return false;
}

bool vt_places_keeps_name(const struct vt_places *places, const char *name) {
  return fits(places, name, VT_NAME) && !fits(places, name, VT_EXCEPTED);
}

static bool is_over(const struct search *search) { return vt_now() >= search->deadline; }

/* With flags 0 a link counts as its target: `.env` may lead to a file, or to a directory of Python's. */
static bool is_directory(int fd, const struct dirent *entry, int flags) {
  struct stat status;
  if (entry->d_type == DT_DIR) return true;
  if (entry->d_type != DT_UNKNOWN && entry->d_type != DT_LNK) return false;
  return fstatat(fd, entry->d_name, &status, flags) == 0 && S_ISDIR(status.st_mode);
}

/* Skips other file systems and sets `unsearched`: one that hangs would block this thread. */
static bool is_elsewhere(const struct search *search, int fd, const char *name) {
  struct stat here, there;
  if (vt_stat_known(fd, "", &here) || vt_stat_known(fd, name, &there)) return true;
  if (here.st_dev == there.st_dev) return false;
  search->places->unsearched = true;
  return true;
}

static void put_directory(struct search *search, const char *path) {
  if (search->queue_length == MOST_DIRECTORIES) search->places->unsearched = true;
  else search->queue[search->queue_length++] = vt_must(strdup(path));
}

static bool is_found(const struct vt_places *places, const char *path) {
  const struct vt_path_node *node = vt_path_node_at(places->root, path);
  return node && node->kept;
}

static void find(struct vt_places *places, const char *path) {
  if (is_found(places, path)) return;
  if (places->found_count == MOST_FOUND) {
    places->unsearched = true;
    return;
  }
  if (!places->found) places->found = vt_must(calloc(MOST_FOUND, sizeof *places->found));
  places->found[places->found_count++] = vt_must(strdup(path));
  vt_places_mark(places, path, VT_MARK_KEPT);
}

/* First, so that no command can fill the bounds before them with directories and files of its own. */
static void find_again(struct vt_places *places, const struct vt_places *before) {
  struct stat status;
  for (size_t i = 0; before && i < before->found_count; i++)
    if (lstat(before->found[i], &status) == 0 && !S_ISDIR(status.st_mode)) find(places, before->found[i]);
}

static void look_at(struct search *search, int fd, const struct dirent *entry, const char *directory) {
  char path[PATH_MAX];
  const char *name = entry->d_name;
  if (vt_is_dots(name)) return;
  int length = snprintf(path, sizeof path, "%s/%s", directory[1] ? directory : "", name);
  if (length < 0 || (size_t)length >= sizeof path) {
    search->places->unsearched = true;
    return;
  }
  if (vt_places_keeps_name(search->places, name) && !is_directory(fd, entry, 0))
    return find(search->places, path);
  if (is_directory(fd, entry, AT_SYMLINK_NOFOLLOW) && !fits(search->places, name, VT_SKIPPED) &&
      !is_elsewhere(search, fd, name))
    put_directory(search, path);
}

/* Watches the directory before reading it, so that no change in between is lost. */
static void look_into(struct search *search, const char *path) {
  if (!vt_inotify_add(search->places->notices, path)) vt_dir_snapshot_add(&search->places->watched, path, VT_DIR_SNAPSHOT_ENTRIES);
  DIR *directory = opendir(path);
  /* EACCES: the command cannot list it either, and can only read names that it knows. */
  if (!directory && errno != EACCES && errno != ENOENT) search->places->unsearched = search->places->watched.unsettled = true;
  if (!directory) return;
  for (struct dirent *entry; (entry = readdir(directory)) && !is_over(search);)
    look_at(search, dirfd(directory), entry, path);
  closedir(directory);
}

static void search_beneath(struct search *search, const char *root) {
  search->places->notices = vt_inotify_open(root);
  put_directory(search, root);
  for (size_t at = 0; at < search->queue_length && !is_over(search); at++)
    look_into(search, search->queue[at]);
  if (is_over(search)) search->places->unsearched = true;
}

static void find_all(struct search *search) {
  for (const struct vt_place *place = search->places->given; place->kind; place++) {
    char path[PATH_MAX];
    if (place->kind != VT_SEARCHED) continue;
    struct vt_path_node *root = vt_places_cut(search->places, place->text);
    if (root && vt_path_node_path(root, path, sizeof path) > 0) search_beneath(search, path);
    return; /* there is only one */
  }
}

/* Cuts the directory even if nothing was found: then no rule covers a file created in it later. */
void vt_places_search(struct vt_places *places, const struct vt_places *before) {
  struct search *search = vt_must(calloc(1, sizeof *search));
  search->places = places;
  search->deadline = vt_now() + MOST_MS;
  find_again(places, before);
  find_all(search);
  for (size_t i = 0; i < search->queue_length; i++) free(search->queue[i]);
  free(search);
}
