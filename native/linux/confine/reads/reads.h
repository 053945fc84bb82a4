/*
 * What a command can read, when not everything: places that are granted, places and names that are kept. Landlock only
 * grants, so a directory with something kept in it is cut: its entries are granted one by one.
 */
#pragma once

#include <stdbool.h>

#include "confine/reads/inode_set.h"
#include "confine/reads/path_tree.h"
#include "confine/reads/dir_snapshot.h"

struct vt_reads {
  int references;        /* atomic */
  struct vt_reads *next; /* in the cache */
  char *key;
  char **places;
  struct vt_path_node *root;
  struct vt_dir_snapshot watched;
  int notices; /* of new names in the directories that were searched; -1: they are among the watched */
  struct vt_inode_set kept;   /* what is kept or cut: it may be met again under another name */
  struct vt_inode_set linked; /* once they were asked for: files in kept directories that have other names, too */
  bool linked_known;
  bool too_many_linked; /* there are more of them than were looked at */
  int ruleset, abi;     /* made of it, for that ABI; -1: not yet */
  bool unsearched;      /* the search for names ended at its bound */
};

/*
 * From a command's places (core.h), NULL-terminated, each behind the letter of its kind; those for writing and sockets do not count.
 * From the cache, as long as nothing has changed. NULL: nothing is kept from reading.
 */
struct vt_reads *vt_reads_take(char *const *places);
void vt_reads_retain(struct vt_reads *reads);
void vt_reads_release(struct vt_reads *reads);

/* Grants the ruleset what can be read; one thread at a time. Returns 0, or -1 with errno (E2BIG: too many entries). */
int vt_reads_grant(struct vt_reads *reads, int ruleset);

/* The ruleset that grants what can be read, and says nothing of the rest; one thread at a time. Returns a descriptor that
 * lives as long as `reads`, or -1 with errno. */
int vt_reads_ruleset(struct vt_reads *reads, int abi);

/* Whether that ruleset grants what is made in a directory: the directory's own path is absolute and real. */
bool vt_reads_cover(const struct vt_reads *reads, const char *directory);

/* What vt_reads_take() is made of. */
enum vt_reads_mark { VT_MARK_GRANTED, VT_MARK_KEPT };

/* Follows a path from the root, and marks where it leads; what is kept is so under the names of links, too. */
void vt_reads_mark(struct vt_reads *reads, const char *path, enum vt_reads_mark mark);

/* Cuts the directory that a path leads to. Returns it; NULL where there is none. */
struct vt_path_node *vt_reads_cut(struct vt_reads *reads, const char *path);

/* Takes down how the directories stand that the rules are made from: before they are made. */
void vt_reads_watch(struct vt_reads *reads);

/* Keeps the files beneath a directory whose name fits a pattern. */
void vt_reads_search(struct vt_reads *reads);

/* Whether a new file of that name would be kept. */
bool vt_reads_keeps_name(const struct vt_reads *reads, const char *name);

/* Whether a file with several names has one in what is kept, or may have. */
bool vt_reads_is_linked(struct vt_reads *reads, const struct stat *status);
