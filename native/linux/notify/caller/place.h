/* Where a path of a notified call leads. */
#pragma once

#include <limits.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "base/files.h"
#include "notify/caller/resolve.h"
#include "notify/notification.h"
#include "workspace/workspace.h"

/* The directories of a workspace that the last calls were about, each kept open on the descriptor that was proven (workspace.h). Not
 * those whose names differ in what may be done with them. Others may move a directory meanwhile, so one is proven anew after
 * VT_KNOWN_MS. */
enum { VT_MOST_KNOWN = 16, VT_KNOWN_MS = 20 };

struct vt_known {
  uint64_t uses;
  uint64_t call;       /* the notification of the last lookup; 0: none */
  pid_t thread;        /* its caller */
  int base;            /* the directory that it looked up, relative to this descriptor of the caller */
  char text[PATH_MAX];
  struct vt_identity identity;
  pid_t proc_of;       /* the thread whose directory in /proc `proc` is; 0: none */
  int proc;
  const struct vt_known_directory *last; /* what it found; NULL: nothing */
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
