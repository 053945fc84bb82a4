#define _GNU_SOURCE
#include "workspace/known.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "workspace/workspace.h"

static const struct vt_known_directory *use(struct vt_known *known, struct vt_known_directory *directory) {
  directory->used = ++known->uses;
  return directory;
}

const struct vt_known_directory *vt_known_find(struct vt_known *known, const struct vt_identity *identity) {
  for (int at = 0; at < VT_MOST_KNOWN; at++) {
    struct vt_known_directory *directory = &known->slots[at];
    if (!directory->used || !vt_identity_equals(&directory->identity, identity)) continue;
    if (vt_now() < directory->until) return use(known, directory);
    directory->identity.inode = 0; /* not closed yet: the other path of the call may have found it */
  }
  return NULL;
}

static struct vt_known_directory *least_used(struct vt_known *known) {
  struct vt_known_directory *least = &known->slots[0];
  for (int at = 1; at < VT_MOST_KNOWN; at++)
    if (known->slots[at].used < least->used) least = &known->slots[at];
  return least;
}

static void drop(struct vt_known_directory *directory) {
  if (directory->used) close(directory->fd);
  directory->used = 0;
}

/* File systems without birth times may give two directories one number. */
static bool is_sure(const struct vt_spot *spot, const struct vt_identity *identity) {
  struct vt_identity proven;
  if (!spot->alike || spot->parent < 0 || !identity->birth) return false;
  if (spot->kind != VT_SPOT_GRANTED && spot->kind != VT_SPOT_HELD) return false;
  return vt_identify(spot->parent, "", AT_EMPTY_PATH, &proven) == 0 && vt_identity_equals(&proven, identity);
}

const struct vt_known_directory *vt_known_add(struct vt_known *known, const struct vt_workspace *workspace, const int *roots,
                                              const char *path, const struct vt_identity *identity) {
  struct vt_spot spot;
  vt_workspace_find(workspace, roots, path, true, &spot);
  if (!is_sure(&spot, identity)) return vt_spot_close(&spot), NULL;
  struct vt_known_directory *directory = least_used(known);
  drop(directory);
  directory->identity = *identity;
  directory->kind = spot.kind;
  directory->fd = spot.parent;
  directory->until = vt_now() + VT_KNOWN_MS;
  size_t length = (size_t)(strrchr(path, '/') - path);
  memcpy(directory->path, path, length);
  directory->path[length] = 0;
  return use(known, directory);
}

enum vt_spot_kind vt_known_spot(const struct vt_known_directory *directory, const struct vt_workspace *workspace, const char *name,
                                const struct stat *status, struct vt_spot *spot) {
  bool is_other_name = directory->kind == VT_SPOT_HELD && status && vt_workspace_protects(workspace, status);
  spot->kind = is_other_name ? VT_SPOT_PROTECTED : directory->kind;
  spot->protected_by = NULL;
  spot->on_the_way = false;
  spot->alike = spot->borrowed = true;
  spot->parent = directory->fd;
  strcpy(spot->name, name);
  return spot->kind;
}

void vt_known_forget(struct vt_known *known) {
  known->call = 0;
  for (int at = 0; at < VT_MOST_KNOWN; at++) drop(&known->slots[at]);
}
