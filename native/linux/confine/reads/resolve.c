/* Resolves paths as the kernel does (path_resolution(7)), and records the names on the way. */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "confine/reads/reads.h"

/* linux/namei.h: MAXSYMLINKS */
enum { MOST_LINKS = 40 };

/* A resolution in progress: the node reached, and the rest of the path. */
struct way {
  struct vt_reads *reads;
  enum vt_reads_mark mark;
  struct vt_path_node *at;
  char rest[2 * PATH_MAX];
  int links;
};

/* Keeps the rest of the path beneath `at` as written, as if it contained no links. */
static void mark_as_written(struct way *way, struct vt_path_node *at) {
  if (way->mark != VT_MARK_KEPT) return;
  for (const char *rest = way->rest; *rest;) {
    size_t length = strcspn(rest, "/");
    if (length > 0) at = vt_path_node_add(at, rest, length);
    rest += length + strspn(rest + length, "/");
  }
  vt_path_node_keep(at);
}

/* Puts a link's target before the rest. False: it leads nowhere. */
static bool follow(struct way *way, const char *link, const char *rest) {
  char target[PATH_MAX], whole[sizeof way->rest];
  ssize_t length = ++way->links > MOST_LINKS ? -1 : readlink(link, target, sizeof target - 1);
  if (length < 0) return false;
  target[length] = 0;
  int needed = snprintf(whole, sizeof whole, "%s/%s", target, rest);
  if (needed < 0 || (size_t)needed >= sizeof whole) return false;
  memcpy(way->rest, whole, (size_t)needed + 1);
  while (target[0] == '/' && way->at->parent) way->at = way->at->parent;
  return true;
}

static bool is_dots(struct way *way, const char *name, size_t length) {
  if (length == 2 && name[0] == '.' && name[1] == '.' && way->at->parent) way->at = way->at->parent;
  return length == 0 || (length <= 2 && strncmp(name, "..", length) == 0);
}

/* Resolves the next name. False: it leads nowhere. */
static bool step(struct way *way) {
  size_t length = strcspn(way->rest, "/"), next = length + strspn(way->rest + length, "/");
  char path[PATH_MAX];
  struct stat status;
  if (is_dots(way, way->rest, length)) {
    memmove(way->rest, way->rest + next, strlen(way->rest + next) + 1);
    return true;
  }
  struct vt_path_node *name = vt_path_node_add(way->at, way->rest, length);
  if (vt_path_node_path(name, path, sizeof path) < 0 || lstat(path, &status)) {
    way->at->doubtful = true;
    mark_as_written(way, way->at);
    return false;
  }
  if (S_ISLNK(status.st_mode)) {
    way->at->doubtful = true;
    mark_as_written(way, way->at);
    return follow(way, path, way->rest + next);
  }
  if (way->mark == VT_MARK_KEPT) vt_inode_set_add(&way->reads->kept, &status);
  way->at = name;
  memmove(way->rest, way->rest + next, strlen(way->rest + next) + 1);
  return true;
}

/* The node that a path leads to, or NULL. */
static struct vt_path_node *walk(struct vt_reads *reads, const char *path, enum vt_reads_mark mark) {
  struct way way = {.reads = reads, .mark = mark, .at = reads->root};
  if (snprintf(way.rest, sizeof way.rest, "%s", path + strspn(path, "/")) >= PATH_MAX) return NULL;
  while (way.rest[0])
    if (!step(&way)) return NULL;
  return way.at;
}

void vt_reads_mark(struct vt_reads *reads, const char *path, enum vt_reads_mark mark) {
  struct vt_path_node *name = walk(reads, path, mark);
  if (!name) return;
  if (mark == VT_MARK_GRANTED) name->granted = true;
  else vt_path_node_keep(name);
}

struct vt_path_node *vt_reads_cut(struct vt_reads *reads, const char *path) {
  struct vt_path_node *name = walk(reads, path, VT_MARK_KEPT);
  if (name) vt_path_node_cut(name);
  return name;
}

/* `path` is one buffer for all: recursion must not put PATH_MAX bytes into every frame. */
static void watch_beneath(struct vt_reads *reads, const struct vt_path_node *name, bool granted, char *path) {
  struct vt_dir_snapshot *watched = &reads->watched;
  size_t before = watched->count;
  if (name->kept || vt_path_node_path(name, path, PATH_MAX) < 0) return;
  granted = granted || name->granted;
  /* In a cut directory each entry has a rule; one granted whole only has to stay the same directory. */
  if (name->doubtful || (granted && name->cut)) vt_dir_snapshot_add(watched, path, VT_DIR_SNAPSHOT_ENTRIES);
  else if (name->granted) vt_dir_snapshot_add(watched, path, VT_DIR_SNAPSHOT_IDENTITY);
  /* A missing directory has nothing beneath; its creation shows in its parent. */
  if (watched->count > before && watched->at[before].inode == 0) return;
  for (const struct vt_path_node *child = name->children; child; child = child->next)
    watch_beneath(reads, child, granted, path);
}

void vt_reads_watch(struct vt_reads *reads) {
  char path[PATH_MAX];
  watch_beneath(reads, reads->root, false, path);
}
