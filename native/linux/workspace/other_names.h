/* Landlock knows files by their names' directories: a protected file with a further name in a granted subtree could be written
 * there. These names are searched for, and protected too. */
#pragma once

#include <stdint.h>

#include "confine/reads/inode_set.h"

struct vt_reads;

struct vt_other_names {
  struct vt_inode_set files; /* protected files with several names */
  uint64_t unseen;           /* how many of their names are not found yet */
  int budget;                /* how many more entries may be looked at */
};

/* A protected path that exists: the file, or the files beneath the directory. 0, or -1 with errno (EMLINK: too many entries). */
int vt_other_names_note(struct vt_other_names *names, const char *path);

/* Protects the other names beneath a root. EMLINK: not all of it can be searched. */
int vt_other_names_protect(struct vt_other_names *names, struct vt_reads *places, const char *root);
