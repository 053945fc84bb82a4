/* Landlock grants by directory: a protected file with another name (hard link) in a granted subtree could be written there.
 * These names are searched for, and protected too. */
#pragma once

#include <stdint.h>

#include "base/files/inode_set.h"

struct vt_reads;

struct vt_other_names {
  struct vt_inode_set files; /* protected files with several names */
  uint64_t unseen;           /* how many of their names are not found yet */
  int budget;                /* entries that may still be examined */
};

/* Notes a protected file, or the files beneath a protected directory. 0, or -1 with errno (EMLINK: too many entries; EMFILE, ENFILE,
 * ENOMEM). */
int vt_other_names_note(struct vt_other_names *names, const char *path);

/* Protects the other names beneath a root. 0, or -1 with errno (EMLINK: it cannot be searched completely; EMFILE,
 * ENFILE, ENOMEM). */
int vt_other_names_protect(struct vt_other_names *names, struct vt_reads *places, const char *root);
