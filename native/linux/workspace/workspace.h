/* Workspace mode: what a command may change, beyond what Landlock can say. Landlock grants whole subtrees; a directory that
 * holds something protected is cut: its entries have rules of their own, and the notifier carries out what happens in the
 * directory itself, on descriptors that are proven to lie beneath a root and outside of everything protected. */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <time.h>

#include "base/files.h"

struct vt_path_node;
struct vt_place;
struct vt_places;

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

/* Its directory, by its path; -1: that is no longer the same one. */
int vt_workspace_open_root(const struct vt_workspace_root *root);

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

/* Where a path of a call leads in a workspace, and whether the notifier may act there (spot.c). */
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

/* Which names a case-folding file system treats as equal (ext4(5), casefold; vfat, exfat, ntfs). Knows the code points that fold to
 * ASCII; others equal only themselves. */
bool vt_spells(const char *text, const char *name, size_t length);

/* Whether git, with this configuration, starts no program that it names (git_config.c). */
bool vt_git_config_is_plain(const struct vt_workspace *workspace, const char *text);

/* Landlock grants by directory: a protected file with another name (hard link) in a granted subtree could be written there.
 * These names are searched for, and protected too (other_names.c). So is what symbolic links in protected directories lead to: git
 * runs a hook that is a link. */
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
