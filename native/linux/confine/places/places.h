/* A tree of places: granted ones, and kept ones and names. Landlock can only grant, so a directory with something kept in it is
 * cut: its entries are granted one by one. One says what a command can read, when not everything; that of a workspace, what a
 * command may change (workspace/workspace.h). */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "base/files.h"
#include "core.h"

/* A tree of path names. Nothing here recurses: a project file may name a path of any depth, and the launcher threads have a small
 * stack. */
struct vt_path_node {
  struct vt_path_node *parent, *children, *next;
  size_t depth;
  bool granted; /* may be read or changed, with everything beneath */
  bool kept;    /* unreadable or protected, with everything beneath */
  bool cut;     /* a path beneath is or may become kept: its entries are granted one by one */
  bool reached; /* a marked path leads to it, over no link */
  bool closed;   /* cut, and only entries that the tree names are granted */
  bool unmade;   /* cut, and a git directory that a command may make: workspace mode */
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

/* The state of directories at one time, and whether they have changed since. LINK, with one of the others: of the path itself if
 * it is a symbolic link. */
enum vt_dir_snapshot_for { VT_DIR_SNAPSHOT_ENTRIES = 0, VT_DIR_SNAPSHOT_IDENTITY = 1, VT_DIR_SNAPSHOT_LINK = 2 };

struct vt_dir_snapshot {
  struct vt_dir_state {
    char *path;
    int what; /* VT_DIR_SNAPSHOT_* */
    dev_t device;
    ino_t inode; /* 0: missing or inaccessible */
    struct timespec modified, changed;
  } *at;
  size_t count, room;
  struct timespec begun; /* before the first directory was read */
  bool unsettled; /* a change was so recent that another one might not show */
};

void vt_dir_snapshot_begin(struct vt_dir_snapshot *watched);

/* A directory that changed after, or just before, vt_dir_snapshot_begin() makes the snapshot count as changed. */
void vt_dir_snapshot_add(struct vt_dir_snapshot *watched, const char *path, int what);

/* Every directory is the same one, and those recorded for entries have the same entries. */
bool vt_dir_snapshot_unchanged(const struct vt_dir_snapshot *watched);

void vt_dir_snapshot_free(struct vt_dir_snapshot *watched);

/* While inotify(7) is silent about the searched directories, the cached rules stay valid. */

/* For directories beneath `root`; -1: it would miss changes there, or no instance is left. */
int vt_inotify_open(const char *root);

/* Call before the directory is read. False: it cannot be watched. */
bool vt_inotify_add(int notices, const char *directory);

/* True if no event since the last call is about a directory or a name that `matters`. Consumes the events. */
bool vt_inotify_unchanged(int notices, bool (*matters)(const void *context, const char *name), const void *context);

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
struct vt_places *vt_places_take(const struct vt_place *given);
void vt_places_retain(struct vt_places *places);
void vt_places_release(struct vt_places *places);

/* Equal exactly for equal places among those that count, behind the same start. To be freed. */
typedef bool (*vt_places_count)(const struct vt_place *given, const struct vt_place *place);
char *vt_places_key(const char *start, const struct vt_place *given, vt_places_count counts);

bool vt_places_have(const struct vt_place *given, enum vt_place_kind kind);

/* The rights (linux/landlock.h) that a granted path gets. */
struct vt_places_access {
  uint64_t directory, file;
  uint64_t listing;             /* of a cut directory itself; 0: none */
  uint64_t pinned;              /* of kept paths and cut directories, whose inodes stay in memory then; 0: none */
  bool skips_devices;           /* device nodes get no rule */
  struct vt_inode_set *granted; /* receives what got a rule; may be NULL */
};

/* One thread at a time. Returns 0, or -1 with errno (E2BIG: too many entries; ENAMETOOLONG: a directory lies too deep). */
int vt_places_grant(struct vt_places *places, const struct vt_places_access *access, int ruleset);

/* An uncached tree in which nothing is marked. */
struct vt_places *vt_places_new(void);

/* The parts of vt_places_take(). */
enum vt_places_mark { VT_MARK_GRANTED, VT_MARK_UNLINKED, VT_MARK_KEPT, VT_MARK_CLOSED, VT_MARK_UNMADE };

/* Marks where a path leads (NULL: nowhere), and, unless granted, the links on the way. VT_MARK_UNLINKED: grants, follows no link. */
struct vt_path_node *vt_places_mark(struct vt_places *places, const char *path, enum vt_places_mark mark);

/* Cuts the directory that a path leads to; NULL: none. */
struct vt_path_node *vt_places_cut(struct vt_places *places, const char *path);

/* Records what the rules depend on, before these are made. */
void vt_places_watch(struct vt_places *places);

/* Keeps what matches a pattern beneath the searched directory, and what the search of `before` (may be NULL) found. */
void vt_places_search(struct vt_places *places, const struct vt_places *before);

bool vt_places_keeps_name(const struct vt_places *places, const char *name);

/* True if a file with several hard links has, or may have, one in a kept directory. */
bool vt_places_is_linked(struct vt_places *places, const struct stat *status);
