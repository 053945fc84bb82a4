#include "confine/places/places.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/basics.h"

static struct vt_path_node *make(struct vt_path_node *parent, const char *text, size_t length) {
  struct vt_path_node *node = vt_must(calloc(1, sizeof *node + length + 1));
  memcpy(node->text, text, length);
  node->parent = parent;
  node->depth = parent ? parent->depth + 1 : 0;
  return node;
}

struct vt_path_node *vt_path_tree_root(void) { return make(NULL, "", 0); }

enum { LISTED = 8 }; /* up to so many children a list is faster */

static bool is_called(const struct vt_path_node *node, const char *text, size_t length) {
  return strncmp(node->text, text, length) == 0 && !node->text[length];
}

/* FNV-1a. A project file may choose names that collide, but not enough to matter (maxPaths, src/config/field.ts). */
static size_t hash(const char *text, size_t length) {
  uint64_t sum = 14695981039346656037u;
  for (size_t at = 0; at < length; at++) sum = (sum ^ (unsigned char)text[at]) * 1099511628211u;
  return (size_t)(sum ^ sum >> 32);
}

/* Or the empty slot where the name belongs. */
static struct vt_path_node **slot_of(const struct vt_path_node *directory, const char *text, size_t length) {
  size_t mask = directory->room - 1, at = hash(text, length) & mask;
  while (directory->slots[at] && !is_called(directory->slots[at], text, length)) at = (at + 1) & mask;
  return &directory->slots[at];
}

struct vt_path_node *vt_path_node_child(const struct vt_path_node *directory, const char *text, size_t length) {
  if (directory->slots) return *slot_of(directory, text, length);
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

/* At most half full. */
static void make_room(struct vt_path_node *directory) {
  if (directory->count < LISTED || directory->count * 2 < directory->room) return;
  free(directory->slots);
  directory->room = directory->room ? directory->room * 2 : LISTED * 4;
  directory->slots = vt_must(calloc(directory->room, sizeof(struct vt_path_node *)));
  for (struct vt_path_node *child = directory->children; child; child = child->next)
    *slot_of(directory, child->text, strlen(child->text)) = child;
}

struct vt_path_node *vt_path_node_add(struct vt_path_node *directory, const char *text, size_t length) {
  struct vt_path_node *child = vt_path_node_child(directory, text, length);
  if (child) return child;
  make_room(directory);
  child = make(directory, text, length);
  child->next = directory->children;
  directory->children = child;
  directory->count++;
  if (directory->slots) *slot_of(directory, text, length) = child;
  return child;
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
    free(taken->slots);
    free(taken);
  }
}
