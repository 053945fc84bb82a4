#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "base/basics.h"
#include "base/files.h"
#include "confine/places/places.h"

static struct vt_path_node *make(struct vt_path_node *parent, const char *text, size_t length) {
  struct vt_path_node *node = vt_must(calloc(1, sizeof *node + length + 1));
  memcpy(node->text, text, length);
  node->parent = parent;
  node->depth = parent ? parent->depth + 1 : 0;
  return node;
}

struct vt_path_node *vt_path_tree_root(void) { return make(NULL, "", 0); }

static bool is_called(const struct vt_path_node *node, const char *text, size_t length) {
  return strncmp(node->text, text, length) == 0 && !node->text[length];
}

/* Names are few: a list in a configuration has 1000 at most (src/config/field.ts). */
struct vt_path_node *vt_path_node_child(const struct vt_path_node *directory, const char *text, size_t length) {
  struct vt_path_node *child = directory->children;
  while (child && !is_called(child, text, length)) child = child->next;
  return child;
}

const struct vt_path_node *vt_path_node_at(const struct vt_path_node *directory, const char *path) {
  for (size_t length; directory && *(path += strspn(path, "/")); path += length) {
    length = strcspn(path, "/");
    directory = vt_path_node_child(directory, path, length);
  }
  return directory;
}

struct vt_path_node *vt_path_node_add(struct vt_path_node *directory, const char *text, size_t length) {
  struct vt_path_node *child = vt_path_node_child(directory, text, length);
  if (child) return child;
  child = make(directory, text, length);
  child->next = directory->children;
  return directory->children = child;
}

void vt_path_node_cut(struct vt_path_node *directory) {
  for (; directory && !directory->cut; directory = directory->parent) directory->cut = true;
}

void vt_path_node_keep(struct vt_path_node *node) {
  node->kept = true;
  vt_path_node_cut(node);
}

void vt_path_node_close(struct vt_path_node *directory) {
  directory->closed = true;
  vt_path_node_cut(directory);
}

int vt_path_node_path(const struct vt_path_node *node, char *path, size_t size) {
  size_t length = node->parent ? 0 : 1;
  for (const struct vt_path_node *at = node; at->parent; at = at->parent) length += 1 + strlen(at->text);
  if (length >= size) return -1;
  char *start = path + length;
  *start = 0;
  for (const struct vt_path_node *at = node; at->parent; at = at->parent) {
    size_t part = strlen(at->text);
    start = memcpy(start - part, at->text, part);
    *--start = '/';
  }
  path[0] = '/';
  return (int)length;
}

const struct vt_path_node *vt_path_node_next(const struct vt_path_node *node, bool skips) {
  if (node->children && !skips) return node->children;
  while (node && !node->next) node = node->parent;
  return node ? node->next : NULL;
}

/* The children first: a node whose children are taken has none left. */
void vt_path_tree_free(struct vt_path_node *root) {
  for (struct vt_path_node *node = root; node;) {
    struct vt_path_node *taken = node, *children = node->children;
    node->children = NULL;
    node = children ? children : node->next ? node->next : node->parent;
    if (children) continue;
    free(taken);
  }
}

/* Resolves paths as the kernel does (path_resolution(7)), and records the names on the way. */
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
  else if (mark == VT_MARK_UNMADE) node->unmade = true, vt_path_node_cut(node);
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
