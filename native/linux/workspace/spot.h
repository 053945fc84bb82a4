/* Where a path of a call leads in a workspace, and whether the notifier may act there. */
#pragma once

#include <limits.h>
#include <stdbool.h>

struct vt_path_node;
struct vt_workspace;

enum vt_spot_kind {
  VT_SPOT_OUTSIDE,   /* beneath no root */
  VT_SPOT_PROTECTED, /* protected, or a name on the way to something protected */
  VT_SPOT_GRANTED,   /* Landlock allows every change */
  VT_SPOT_HELD,      /* for the notifier to carry out */
};

/* A name in a directory of the workspace. */
struct vt_spot {
  enum vt_spot_kind kind;
  const struct vt_path_node *protected_by; /* with VT_SPOT_PROTECTED: the path that the user may be asked about; NULL: none */
  bool alike;      /* every name in the parent is of this kind, unless it is another name of a protected file */
  bool on_the_way; /* with VT_SPOT_PROTECTED: a directory that leads to something protected, itself not protected */
  int parent;      /* O_PATH, proven to lie beneath the root; -1: not needed */
  bool borrowed;   /* the parent stays open */
  char name[NAME_MAX + 1]; /* "": the root itself */
};

/* Where an absolute path without symbolic links leads. `roots`: the roots' descriptors in the calling thread's table; NULL: they
 * are opened. `acts`: opens the parent for a granted or protected spot, too. Close the spot afterwards. */
void vt_workspace_find(const struct vt_workspace *workspace, const int *roots, const char *path, bool acts, struct vt_spot *spot);
void vt_spot_close(struct vt_spot *spot);
