/* A tree of places: granted ones, and kept ones and names. Landlock can only grant, so a directory with something kept in it is
 * cut: its entries are granted one by one. One says what a command can read, when not everything; that of a workspace, what a
 * command may change (workspace/workspace.h). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core.h"
#include "base/files.h"
#include "confine/places/path_tree.h"
#include "confine/places/dir_snapshot.h"

struct vt_places {
  int references;        /* atomic */
  struct vt_places *next;
  char *key;
  struct vt_place *given; /* a copy, with its texts in one block */
  struct vt_path_node *root;
  struct vt_dir_snapshot watched;
  int notices; /* of inotify(7), for searched directories; -1: they are in `watched` */
  struct vt_inode_set kept;   /* files kept or cut, to recognise them by another name */
  struct vt_inode_set linked; /* files in kept directories with further names, once linked_known */
  bool linked_known;
  bool too_many_linked; /* the search for them ended at its bound */
  int ruleset, abi;     /* the ruleset made from this for `abi`, shared by confinements; -1: not yet */
  char **found;         /* by the search for names; NULL: nothing */
  size_t found_count;
  bool unsearched;      /* that search ended at its bound */
};

/* What may be read, cached until something changes. NULL: all is readable. */
struct vt_places *vt_places_take(const struct vt_place *places);
void vt_places_retain(struct vt_places *reads);
void vt_places_release(struct vt_places *reads);

/* The rights (linux/landlock.h) that a granted path gets. */
struct vt_places_access {
  uint64_t directory, file;
  uint64_t listing;             /* of a cut directory itself; 0: none */
  uint64_t pinned;              /* of kept paths and cut directories, whose inodes stay in memory then; 0: none */
  bool skips_devices;           /* device nodes get no rule */
  struct vt_inode_set *granted; /* receives what got a rule; may be NULL */
};

/* One thread at a time. Returns 0, or -1 with errno (E2BIG: too many entries; ENAMETOOLONG: a directory lies too deep). */
int vt_places_grant(struct vt_places *reads, const struct vt_places_access *access, int ruleset);

/* An uncached tree in which nothing is marked. */
struct vt_places *vt_places_new(void);

/* True if a ruleset of these grants files made in `directory` (absolute, real). */
bool vt_places_cover(const struct vt_places *reads, const char *directory);

/* The parts of vt_places_take(). */
enum vt_places_mark { VT_MARK_GRANTED, VT_MARK_UNLINKED, VT_MARK_KEPT, VT_MARK_CLOSED };

/* Marks where a path leads (NULL: nowhere), and, unless granted, the links on the way. VT_MARK_UNLINKED: grants, follows no link. */
struct vt_path_node *vt_places_mark(struct vt_places *reads, const char *path, enum vt_places_mark mark);

/* Cuts the directory that a path leads to; NULL: none. */
struct vt_path_node *vt_places_cut(struct vt_places *reads, const char *path);

/* Records what the rules depend on, before these are made. */
void vt_places_watch(struct vt_places *reads);

/* Keeps what matches a pattern beneath the searched directory, and what the search of `before` (may be NULL) found. */
void vt_places_search(struct vt_places *reads, const struct vt_places *before);

bool vt_places_keeps_name(const struct vt_places *reads, const char *name);

/* True if a file with several hard links has, or may have, one in a kept directory. */
bool vt_places_is_linked(struct vt_places *reads, const struct stat *status);
