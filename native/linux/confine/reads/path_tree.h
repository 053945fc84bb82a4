/* A tree of names: the directories on the way to what can be read and to what cannot. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct vt_path_node {
  struct vt_path_node *parent, *children, *next;
  struct vt_path_node **slots; /* the children by the hash of their names, once there are several; NULL: none yet */
  size_t count, room;     /* of the children, and of the slots */
  bool granted; /* it can be read, and what lies beneath */
  bool kept;    /* it cannot, nor anything beneath */
  bool cut;     /* something is kept beneath, or may come to be: its entries are granted one by one */
  bool doubtful; /* a name was looked up in it that is missing or a link, and may lead elsewhere later */
  char text[];  /* "" for the root */
};

struct vt_path_node *vt_path_tree_root(void);

/* The child of that name, or NULL. */
struct vt_path_node *vt_path_node_child(const struct vt_path_node *directory, const char *text, size_t length);

/* The child of that name, made when it is not there. */
struct vt_path_node *vt_path_node_add(struct vt_path_node *directory, const char *text, size_t length);

/* The directory is not granted as a whole any more, nor any above it. */
void vt_path_node_cut(struct vt_path_node *directory);
void vt_path_node_keep(struct vt_path_node *name);

/* The absolute path; returns its length, or -1 where it does not fit. */
int vt_path_node_path(const struct vt_path_node *name, char *path, size_t size);

void vt_path_tree_free(struct vt_path_node *root);
