/* Where a path of a notified call leads. */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "base/files.h"
#include "notify/notification.h"
#include "workspace/workspace.h"

struct vt_known_directory;

/* A caller's path, resolved on its behalf as in path_resolution(7) (resolve.c). */
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

/* Test hook, called before each lookup if a test program defines it. */
void vt_test_before_lookup(void) __attribute__((weak, visibility("hidden")));

void vt_resolved_close(struct vt_resolved *place);

/* The directories of a workspace that the last calls were about, each kept open on the descriptor that was proven (workspace.h). Not
 * those whose names differ in what may be done with them. Others may move a directory meanwhile, so one is proven anew after
 * VT_KNOWN_MS. */
enum { VT_MOST_KNOWN = 16, VT_KNOWN_MS = 20 };

struct vt_known {
  uint64_t uses;
  pid_t thread;        /* the caller of the last lookup; 0: none */
  int base;            /* the directory that was looked up, relative to this descriptor of the caller */
  char text[PATH_MAX];
  struct vt_identity identity;
  pid_t proc_of;       /* the thread whose directory in /proc `proc` is; 0: none */
  int proc;
  struct vt_known_directory {
    uint64_t used; /* 0: empty */
    int64_t until;
    struct vt_identity identity;
    enum vt_spot_kind kind; /* of every name in it: VT_SPOT_GRANTED or VT_SPOT_HELD */
    int fd;
    char path[PATH_MAX];
  } slots[VT_MOST_KNOWN];
};

/* NULL: not known. The descriptor stays open while two more are looked up or added. */
const struct vt_known_directory *vt_known_find(struct vt_known *known, const struct vt_identity *identity);

/* Adds the directory of a path, if it is the given one. */
const struct vt_known_directory *vt_known_add(struct vt_known *known, const struct vt_workspace *workspace, const int *roots,
                                              const char *path, const struct vt_identity *identity);

/* A name in it; `status`: of what is there, or NULL. */
enum vt_spot_kind vt_known_spot(const struct vt_known_directory *directory, const struct vt_workspace *workspace, const char *name,
                                const struct stat *status, struct vt_spot *spot);

/* After a directory was moved. */
void vt_known_forget(struct vt_known *known);

/* vt_resolve(), or what is known of the directory, if that is enough. */
int vt_place_find(struct vt_notification *notification, int directory, const char *path, bool follow, struct vt_resolved *place);

/* For the report of a refusal: whether a resolved path is protected, leads to something protected, or is another name of a
 * protected file. `status`: of the file, NULL: unknown or missing. */
bool vt_place_is_protected(const struct vt_notification *notification, const char *path, const struct stat *status);
