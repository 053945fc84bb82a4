/* A tree of path names. For reads: what a command may read; for a workspace: what it may change. Nothing here recurses: a project
 * file may name a path of any depth, and the launcher threads have a small stack. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct vt_path_node {
  struct vt_path_node *parent, *children, *next;
  struct vt_path_node **slots; /* hash table of the children; NULL: only few */
  size_t count, room;     /* of the children; of the slots */
  size_t depth;
  bool granted; /* may be read or changed, with everything beneath */
  bool kept;    /* unreadable or protected, with everything beneath */
  bool cut;     /* a path beneath is or may become kept: its entries are granted one by one */
  bool reached; /* a marked path leads to it, over no link */
  bool closed;   /* cut, and only entries that the tree names are granted */
  bool noted;    /* kept, and what is beneath has been looked at */
  bool seen;     /* a kept path leads through it, and it is a directory: it is not looked up again */
  bool doubtful; /* a name looked up in it is missing or a link, and may lead elsewhere later */
  char text[];  /* "" for the root */
};

struct vt_path_node *vt_path_tree_root(void);

struct vt_path_node *vt_path_node_child(const struct vt_path_node *directory, const char *text, size_t length);

/* NULL: none. */
const struct vt_path_node *vt_path_node_at(const struct vt_path_node *directory, const char *path);

/* Created if missing. */
struct vt_path_node *vt_path_node_add(struct vt_path_node *directory, const char *text, size_t length);

/* Cut a directory and all above it; close() and keep() mark it, too. */
void vt_path_node_cut(struct vt_path_node *directory);
void vt_path_node_close(struct vt_path_node *directory);
void vt_path_node_keep(struct vt_path_node *node);

/* Writes the absolute path; returns its length, or -1 if it does not fit. */
int vt_path_node_path(const struct vt_path_node *node, char *path, size_t size);

/* The node after this one, each before its children; NULL: it was the last. `skips`: leaves out what is beneath this one. */
const struct vt_path_node *vt_path_node_next(const struct vt_path_node *node, bool skips);

void vt_path_tree_free(struct vt_path_node *root);
