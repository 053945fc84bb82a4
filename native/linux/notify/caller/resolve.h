/* Resolves a caller's path on its behalf, as in path_resolution(7). */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <sys/stat.h>

#include "notify/caller/caller.h"

struct vt_known_directory;

struct vt_resolved {
  const struct vt_known_directory *known; /* owns `parent`; NULL: not known */
  int parent;               /* O_PATH descriptor of the directory that contains the name */
  char name[NAME_MAX + 1];  /* "": the directory itself */
  char path[PATH_MAX];      /* absolute, without symbolic links except a final one that is not followed */
  bool slashed;             /* given with a slash at its end: only a directory may be there */
  bool dead;                /* the directory is removed: ENOENT */
  bool exists;              /* also with ENOTDIR: what is there is no directory, and the path is slashed */
  struct stat status;       /* valid if it exists */
};

/* Not in the file tree: a descriptor's link to a pipe or the like. */
enum { VT_NO_FILE = -1 };

/* From the caller's descriptor `directory` or AT_FDCWD. `follow`: a final symbolic link, too. Returns 0 with place->parent open,
 * VT_NO_FILE, or the errno that the call itself would get. May block as long as a file system does. */
int vt_resolve(const struct vt_caller *caller, int directory, const char *path, bool follow, struct vt_resolved *place);

/* Splits "a/b/c" into "a/b/" and "c"; if it ends in a slash, "." or "..", the name is empty. Returns 0 or ENAMETOOLONG. */
int vt_resolve_split(const char *given, char directory[PATH_MAX], char name[NAME_MAX + 1]);

/* What the caller means by `directory`: an O_PATH descriptor, or -1 with errno. */
int vt_resolve_base(const struct vt_caller *caller, int directory);

/* Test hook, called before each lookup if a test program defines it. */
void vt_test_before_lookup(void) __attribute__((weak, visibility("hidden")));

/* Whether this kernel opens an empty path with O_EMPTYPATH; a test program may override it. */
bool vt_resolve_takes_empty_path(void);
bool vt_test_takes_empty_path(void) __attribute__((weak, visibility("hidden")));

void vt_resolved_close(struct vt_resolved *place);
