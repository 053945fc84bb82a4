/* Landlock grants by directory: a protected file with another name (hard link) in a granted subtree could be written there.
 * These names are searched for, and protected too. So is what symbolic links in protected directories lead to: git runs a hook
 * that is a link. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/files.h"

struct vt_path_node;
struct vt_places;

struct vt_other_names {
  struct vt_inode_set files; /* protected files with several names */
  uint64_t unseen;           /* how many of their names are not found yet */
  int budget;                /* entries that may still be examined */
  char **links;              /* symbolic links beneath protected directories; the caller follows them */
  size_t link_count, link_room;
};

/* Notes a protected file, or the files and links beneath a protected directory but for what is noted of it already. 0, or -1 with
 * errno (EMLINK: too many entries; EACCES: a directory can be entered, not listed; EMFILE, ENFILE, ENOMEM). */
int vt_other_names_note(struct vt_other_names *names, const struct vt_path_node *node);

/* Protects the other names beneath a root. 0, or -1 with errno (EMLINK: it cannot be searched completely; EMFILE,
 * ENFILE, ENOMEM). */
int vt_other_names_protect(struct vt_other_names *names, struct vt_places *places, const char *root);

void vt_other_names_free(struct vt_other_names *names);
