/* Resolves paths as the kernel does (path_resolution(7)), and records the names on the way. */
#define _GNU_SOURCE
#include <string.h>

#include "base/files.h"
#include "confine/places/places.h"

struct way {
  struct vt_places *places;
  enum vt_places_mark mark;
  struct vt_path_node *at;
  struct vt_path_walk names;
};

static bool grants(enum vt_places_mark mark) { return mark == VT_MARK_GRANTED || mark == VT_MARK_UNLINKED; }

static void mark_node(struct vt_path_node *node, enum vt_places_mark mark) {
  if (grants(mark)) node->granted = true;
  else if (mark == VT_MARK_CLOSED) vt_path_node_close(node);
  else vt_path_node_keep(node);
}

/* Marks the rest of the path as written, as if it contained no links. */
static void mark_as_written(const struct way *way, const char *rest) {
  struct vt_path_node *at = way->at;
  at->doubtful = true;
  if (grants(way->mark)) return;
  for (size_t length; *rest; rest += length + strspn(rest + length, "/")) {
    length = strcspn(rest, "/");
    at = vt_path_node_add(at, rest, length);
  }
  mark_node(at, way->mark);
}

static bool follow(struct way *way, const char *link) {
  char target[PATH_MAX];
  if (way->mark == VT_MARK_UNLINKED || vt_path_follow(&way->names, link, target)) return false;
  while (target[0] == '/' && way->at->parent) way->at = way->at->parent;
  return true;
}

/* Resolves a name. False: it leads nowhere. */
static bool step(struct way *way, const char *name, size_t length) {
  char path[PATH_MAX];
  struct stat status;
  if (vt_path_is_dots(name, length)) {
    if (way->at->parent) way->at = way->at->parent;
    return true;
  }
  struct vt_path_node *node = vt_path_node_add(way->at, name, length);
  if (node->seen) {
    way->at = node;
    return true;
  }
  bool exists = vt_path_node_path(node, path, sizeof path) >= 0 && lstat(path, &status) == 0;
  if (!exists || S_ISLNK(status.st_mode)) {
    mark_as_written(way, name);
    return exists && follow(way, path);
  }
  if (!grants(way->mark)) {
    vt_inode_set_add(&way->places->kept, &status);
    node->seen = S_ISDIR(status.st_mode);
  }
  way->at = node;
  return true;
}

static struct vt_path_node *walk(struct vt_places *places, const char *path, enum vt_places_mark mark) {
  struct way way = {.places = places, .mark = mark, .at = places->root, .names = {.rest = path}};
  size_t length;
  for (const char *name; (name = vt_path_next(&way.names, &length));)
    if (!step(&way, name, length)) return NULL;
  return way.at;
}

struct vt_path_node *vt_places_mark(struct vt_places *places, const char *path, enum vt_places_mark mark) {
  struct vt_path_node *node = walk(places, path, mark);
  if (!node) return NULL;
  mark_node(node, mark);
  node->reached = true;
  return node;
}

struct vt_path_node *vt_places_cut(struct vt_places *places, const char *path) {
  struct vt_path_node *node = walk(places, path, VT_MARK_KEPT);
  if (node) vt_path_node_cut(node);
  return node;
}

static bool is_granted(const struct vt_path_node *node) {
  while (node && !node->granted) node = node->parent;
  return node != NULL;
}

/* True: nothing beneath has to be watched. */
static bool watch(struct vt_places *places, const struct vt_path_node *node) {
  char path[PATH_MAX];
  struct vt_dir_snapshot *watched = &places->watched;
  size_t before = watched->count;
  if (node->kept || vt_path_node_path(node, path, sizeof path) < 0) return true;
  /* In a cut directory each entry has a rule; one granted whole only has to stay the same directory. */
  if (node->doubtful || (node->cut && is_granted(node))) vt_dir_snapshot_add(watched, path, VT_DIR_SNAPSHOT_ENTRIES);
  else if (node->granted) vt_dir_snapshot_add(watched, path, VT_DIR_SNAPSHOT_IDENTITY);
  /* A missing directory has nothing beneath; its creation shows in its parent. */
  return watched->count > before && watched->at[before].inode == 0;
}

void vt_places_watch(struct vt_places *places) {
  for (const struct vt_path_node *node = places->root; node;) node = vt_path_node_next(node, watch(places, node));
}
