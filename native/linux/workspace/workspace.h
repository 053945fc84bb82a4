/* Workspace mode: what a command may change, beyond what Landlock can say. Landlock grants whole subtrees; a directory that
 * holds something protected is cut: its entries have rules of their own, and the notifier carries out what happens in the
 * directory itself, on descriptors that are proven to lie beneath a root and outside of everything protected. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>
#include <time.h>

#include "base/files.h"

struct vt_places;
struct vt_place;

struct vt_workspace {
  int references;              /* atomic */
  struct vt_places *places;     /* the roots are granted, protected paths are kept */
  struct vt_inode_set granted; /* entries of cut directories that have a Landlock rule */
  struct timespec granted_at;
  long mounts;                 /* vt_mounts_changes() before they were looked at */
  bool has_mounts;             /* beneath a root */
  size_t count;
  struct vt_workspace_root {
    char *path; /* absolute, without symbolic links */
    bool is_private; /* a command's TMPDIR; these come last */
    int fd;     /* O_PATH, in the main descriptor table: the same directory even if the path is replaced; -1: between commands */
    dev_t device;
    ino_t inode;
  } *roots;
};

/* From a command's places (core.h): VT_ROOT and VT_PROTECTED, and what `reads` (or NULL) keeps from being read. NULL: no root, or
 * with errno one cannot be opened. */
struct vt_workspace *vt_workspace_open(const struct vt_place *places, const struct vt_places *reads);
void vt_workspace_retain(struct vt_workspace *workspace);
void vt_workspace_release(struct vt_workspace *workspace);

/* The innermost root that contains the path; NULL: none. */
const struct vt_workspace_root *vt_workspace_root_of(const struct vt_workspace *workspace, const char *path);

/* Whether a file is a protected one, by any of its names. */
bool vt_workspace_protects(const struct vt_workspace *workspace, const struct stat *status);

/* The root that is a command's private TMPDIR: the rules do not depend on it. */
bool vt_workspace_is_private(const struct vt_place *places, const char *root);

/* A workspace serves several commands, one after another, while nothing changes that its rules depend on. False: changes could
 * go unnoticed (mounts, too many files, a change in the current clock tick). */
bool vt_workspace_lasts(const struct vt_workspace *workspace);

/* Between two commands: holds no directory open, as it would keep a file system from being unmounted. */
void vt_workspace_rest(struct vt_workspace *workspace);

/* For the next command with the same roots and protected paths. False: something has changed. */
bool vt_workspace_resume(struct vt_workspace *workspace, const struct vt_place *places);
