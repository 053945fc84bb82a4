/* Where a path of the caller leads: the lookup of path_resolution(7), made by us on its behalf. */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <sys/stat.h>

#include "notify/caller.h"

struct vt_resolved {
  int parent;               /* O_PATH descriptor of the directory that holds the name */
  char name[NAME_MAX + 1];  /* "": the directory itself */
  char path[PATH_MAX];      /* absolute, without symbolic links but a last one that is not followed */
  bool exists;
  struct stat status;       /* where it exists */
};

/* No file of the tree: the link of a descriptor for a pipe, a socket, a deleted file or the like. */
enum { VT_NO_FILE = -1 };

/*
 * Looks `path` up, beneath the caller's descriptor `directory` (AT_FDCWD: its working directory). A last symbolic link is
 * followed where `follow`. Returns 0, with place->parent open; VT_NO_FILE; or the errno that the caller's own call
 * would fail with. May block as long as a file system does.
 */
int vt_resolve(const struct vt_caller *caller, int directory, const char *path, bool follow, struct vt_resolved *place);

/* Called before each lookup where a test program defines it. */
void vt_test_before_lookup(void) __attribute__((weak, visibility("hidden")));

/* Whether this kernel opens an empty path with O_EMPTYPATH. In the place of its answer where a test program defines the other. */
bool vt_resolve_takes_empty_path(void);
bool vt_test_takes_empty_path(void) __attribute__((weak, visibility("hidden")));

void vt_resolved_close(struct vt_resolved *place);
