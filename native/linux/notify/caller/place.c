#define _GNU_SOURCE
#include "notify/caller/place.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/basics.h"
#include "base/files.h"
#include "confine/confinement.h"
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
  for (int at = 0; at < VT_MOST_KNOWN; at++) drop(&known->slots[at]);
}

static void forget_proc(struct vt_known *known) {
  if (known->proc_of) close(known->proc);
  known->proc_of = 0;
}

/* The directory in /proc of the last caller, which is mostly the next one too. -1 if it cannot be opened. */
static int proc_of(struct vt_known *known, pid_t thread) {
  char path[32];
  if (known->proc_of == thread) return known->proc;
  forget_proc(known);
  snprintf(path, sizeof path, "/proc/%d", thread);
  known->proc = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (known->proc >= 0) known->proc_of = thread;
  return known->proc;
}

/* In one call, through the links of /proc. */
static bool identify_by_path(struct vt_known *known, const struct vt_caller *caller, int base, const char *directory,
                             struct vt_identity *identity) {
  char path[PATH_MAX + 16], *end = path;
  int from = directory[0] == '/' ? AT_FDCWD : proc_of(known, caller->thread);
  if (from == -1) return false;
  if (directory[0] != '/' && base == AT_FDCWD) end = stpcpy(path, "cwd/");
  else if (directory[0] != '/') end += snprintf(path, sizeof path, "fd/%d/", base);
  strcpy(end, directory);
  bool found = vt_identify(from, path, 0, identity) == 0;
  /* The descriptor may be that of a thread that has ended, whose number another one has now. */
  if (!found && from >= 0) forget_proc(known);
  return found;
}

/* Not through links of /proc (RESOLVE_NO_MAGICLINKS): /proc/self would be our process. */
static int open_directory(const struct vt_caller *caller, int base, const char *directory) {
  enum { FLAGS = O_PATH | O_DIRECTORY | O_CLOEXEC };
  int from = directory[0] == '/' ? AT_FDCWD : vt_caller_open(caller, base, FLAGS);
  if (from == -1) return -1;
  int fd = vt_openat2(from, directory, FLAGS, RESOLVE_NO_MAGIC);
  if (from >= 0) close(from);
  return fd;
}

/* In one call, if the same text has just led the caller there without links of /proc. */
static bool identify_again(struct vt_known *known, const struct vt_caller *caller, int base, const char *directory,
                           struct vt_identity *identity) {
  bool same = known->thread == caller->thread && known->base == base && strcmp(known->text, directory) == 0;
  return same && identify_by_path(known, caller, base, directory, identity) && vt_identity_equals(identity, &known->identity);
}

static bool identify(struct vt_known *known, const struct vt_caller *caller, int base, const char *directory,
                     struct vt_identity *identity) {
  if (!directory[0]) return identify_by_path(known, caller, base, directory, identity);
  if (identify_again(known, caller, base, directory, identity)) return true;
  int fd = open_directory(caller, base, directory);
  bool found = fd >= 0 && vt_identify(fd, "", AT_EMPTY_PATH, identity) == 0;
  if (fd >= 0) close(fd);
  return found;
}

static bool complete(const struct vt_known_directory *known, const char *name, struct vt_resolved *place) {
  size_t length = strlen(known->path), more = strlen(name);
  if (length + more + 1 >= sizeof place->path) return false;
  memcpy(place->path, known->path, length);
  place->path[length] = '/';
  memcpy(place->path + length + 1, name, more + 1);
  strcpy(place->name, name);
  place->known = known;
  place->parent = known->fd;
  place->slashed = place->dead = false;
  return true;
}

static const struct vt_known_directory *find_directory(struct vt_notification *notification, int base, const char *directory) {
  struct vt_known *known = notification->known_directories;
  struct vt_identity identity;
  if (!identify(known, &notification->caller, base, directory, &identity)) return NULL;
  known->thread = notification->caller.thread;
  known->base = base;
  known->identity = identity;
  strcpy(known->text, directory);
  return vt_known_find(known, &identity);
}

static bool find_known(struct vt_notification *notification, int base, const char *path, bool follow, struct vt_resolved *place) {
  char directory[PATH_MAX], name[NAME_MAX + 1];
  if (vt_resolve_split(path, directory, name) || !name[0]) return false;
  const struct vt_known_directory *known = find_directory(notification, base, directory);
  if (!known) return false;
  /* The call goes on, and the kernel finds what is there. */
  bool goes_on = known->kind == VT_SPOT_GRANTED && !follow && notification->call->subject == VT_PATH;
  place->exists = !goes_on && fstatat(known->fd, name, &place->status, AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT) == 0;
  if (goes_on) return complete(known, name, place);
  if (place->exists ? follow && S_ISLNK(place->status.st_mode) : errno != ENOENT) return false;
  return complete(known, name, place);
}

/* Remembers the directory for the next calls, and uses its proven descriptor from here on. */
static void learn(struct vt_notification *notification, struct vt_resolved *place) {
  struct vt_identity identity;
  if (!place->name[0] || vt_identify(place->parent, "", AT_EMPTY_PATH, &identity)) return;
  struct vt_known *known = notification->known_directories;
  place->known = vt_known_add(known, notification->listener->confinement->workspace, notification->roots, place->path, &identity);
  if (!place->known) return;
  close(place->parent);
  place->parent = place->known->fd;
}

int vt_place_find(struct vt_notification *notification, int directory, const char *path, bool follow, struct vt_resolved *place) {
  if (notification->known_directories && find_known(notification, directory, path, follow, place)) return 0;
  int error = vt_resolve(&notification->caller, directory, path, follow, place);
  if (!error && notification->known_directories) learn(notification, place);
  return error;
}

bool vt_place_is_protected(const struct vt_notification *notification, const char *path, const struct stat *status) {
  const struct vt_workspace *workspace = notification->listener->confinement->workspace;
  struct vt_spot spot;
  if (!workspace) return false;
  vt_workspace_find(workspace, notification->roots, path, false, &spot);
  vt_spot_close(&spot);
  return spot.kind == VT_SPOT_PROTECTED || (status && vt_workspace_protects(workspace, status));
}
