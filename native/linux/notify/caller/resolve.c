#define _GNU_SOURCE
#include "notify/caller/place.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/files.h"

enum { DIRECTORY = O_PATH | O_DIRECTORY | O_CLOEXEC };

int vt_resolve_split(const char *given, char directory[PATH_MAX], char name[NAME_MAX + 1]) {
  const char *slash = strrchr(given, '/');
  size_t before = slash ? (size_t)(slash + 1 - given) : 0, length = strlen(given + before);
  if (vt_path_is_dots(given + before, length)) {
    before += length;
    length = 0;
  }
  if (before >= PATH_MAX || length > NAME_MAX) return ENAMETOOLONG;
  memcpy(directory, given, before);
  directory[before] = 0;
  memcpy(name, given + before, length + 1);
  return 0;
}

static bool is_dead(int directory) {
  struct stat status;
  return fstat(directory, &status) == 0 && status.st_nlink == 0;
}

static int complete(struct vt_resolved *place) {
  int error = vt_path_of(place->parent, place->path, sizeof place->path);
  if (error || !place->name[0]) return error;
  size_t length = strlen(place->path);
  place->dead = vt_path_is_deleted(place->path) && is_dead(place->parent);
  if (place->dead) return ENOENT;
  if (length == 1) length = 0; /* "/" */
  int written = snprintf(place->path + length, sizeof place->path - length, "/%s", place->name);
  return (size_t)written < sizeof place->path - length ? 0 : ENAMETOOLONG;
}

static int look(struct vt_resolved *place) {
  int flags = AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT | AT_EMPTY_PATH;
  place->exists = fstatat(place->parent, place->name, &place->status, flags) == 0;
  return place->exists || errno == ENOENT ? 0 : errno;
}

/* The usual case, no symbolic links, in two or three calls; else ELOOP. */
static int find_directly(int base, const char *given, bool follow, struct vt_resolved *place) {
  char directory[PATH_MAX];
  int error = vt_resolve_split(given, directory, place->name);
  if (error) return error;
  place->parent = vt_path_open_direct(base, directory[0] ? directory : ".", DIRECTORY);
  if (place->parent < 0) return errno;
  error = look(place);
  if (!error && place->exists && follow && S_ISLNK(place->status.st_mode)) error = ELOOP;
  if (error || !place->name[0] || !vt_path_is_plain(given)) return error ? error : complete(place);
  strcpy(place->path, given); /* saves a lookup in /proc, a third of a refused call */
  return 0;
}

/* Most bytes of paths looked up for one call. A command can create chains of links that lead through thousands of names, and the
 * calls of other commands wait meanwhile. */
enum { MOST_WALKED = 1 << 19 };

struct walk {
  const struct vt_caller *caller;
  size_t walked;
  char done[PATH_MAX]; /* resolved so far; "" for the root */
  struct vt_path_walk names;
};

static void step_back(struct walk *walk) {
  char *slash = strrchr(walk->done, '/');
  if (slash) *slash = 0;
}

/* "/proc/self" would name us, so it is replaced by the caller's number (proc(5)). */
static size_t name_of_caller(const struct vt_caller *caller, const char *name, size_t length, char own[64]) {
  pid_t process = vt_caller_process(caller);
  if (length == 4 && memcmp(name, "self", 4) == 0) return (size_t)snprintf(own, 64, "%d", process);
  if (length != 11 || memcmp(name, "thread-self", 11)) return 0;
  return (size_t)snprintf(own, 64, "%d/task/%d", process, caller->thread);
}

static int step_into(struct walk *walk, const char *name, size_t length) {
  char own[64];
  size_t own_length = strcmp(walk->done, "/proc") == 0 ? name_of_caller(walk->caller, name, length, own) : 0;
  if (own_length) name = own, length = own_length;
  size_t have = strlen(walk->done);
  if (have + 1 + length >= sizeof walk->done) return ENAMETOOLONG;
  walk->done[have] = '/';
  memcpy(walk->done + have + 1, name, length);
  walk->done[have + 1 + length] = 0;
  walk->walked += have + 1 + length;
  return walk->walked > MOST_WALKED ? ELOOP : 0;
}

/* Not in the file tree: "pipe:[1]", "/gone (deleted)" (proc(5), /proc/pid/fd) */
static bool leads_nowhere(const char *target) {
  return target[0] == '/' ? vt_path_is_deleted(target) : strchr(target, ':') != NULL;
}

/* Goes on at the target if the name just reached is a link. */
static int follow_link(struct walk *walk) {
  char target[PATH_MAX];
  int error = vt_path_follow(&walk->names, walk->done, target);
  if (error) return error == EINVAL ? 0 : error;
  if (strncmp(walk->done, "/proc/", 6) == 0 && leads_nowhere(target)) return VT_NO_FILE;
  if (target[0] == '/') walk->done[0] = 0;
  else step_back(walk);
  return 0;
}

static int walk_on(struct walk *walk, bool follow) {
  size_t length;
  for (const char *name; (name = vt_path_next(&walk->names, &length));) {
    if (vt_path_is_dots(name, length)) {
      step_back(walk);
      continue;
    }
    int error = step_into(walk, name, length);
    if (error) return error;
    const char *rest = walk->names.rest;
    if (!*rest && !follow) return 0;
    error = follow_link(walk);
    if (error == ENOENT && !rest[strspn(rest, "/")]) return 0; /* the last component may be missing */
    if (error) return error;
  }
  return 0;
}

static int find_by_walking(const struct vt_caller *caller, int base, const char *given, bool follow,
                           struct vt_resolved *place) {
  struct walk walk = {.caller = caller, .names = {.rest = given}};
  int error = given[0] == '/' ? 0 : vt_path_of(base, walk.done, sizeof walk.done);
  if (error) return error;
  if (strcmp(walk.done, "/") == 0) walk.done[0] = 0;
  error = walk_on(&walk, follow);
  if (error) return error;
  char directory[PATH_MAX];
  error = vt_resolve_split(walk.done[0] ? walk.done : "/", directory, place->name);
  if (error) return error;
  place->parent = open(directory, DIRECTORY);
  if (place->parent < 0) return errno;
  error = look(place);
  return error ? error : complete(place);
}

/* "new/" names the same as "new", as a directory: mkdir(2) accepts it. Returns whether slashes were removed. */
static bool cut_slashes(char *path) {
  size_t length = strlen(path), all = length;
  while (length > 1 && path[length - 1] == '/') length--;
  path[length] = 0;
  return length < all;
}

int vt_resolve(const struct vt_caller *caller, int directory, const char *path, bool follow, struct vt_resolved *place) {
  char given[PATH_MAX];
  place->known = NULL;
  place->parent = -1;
  place->dead = place->exists = false;
  if (!path[0]) return ENOENT;
  if (strlen(path) >= sizeof given) return ENAMETOOLONG;
  place->slashed = cut_slashes(strcpy(given, path));
  if (vt_test_before_lookup) vt_test_before_lookup();
  int base = given[0] == '/' ? AT_FDCWD : vt_caller_open(caller, directory, DIRECTORY);
  if (given[0] != '/' && base < 0) return errno;
  int error = find_directly(base, given, follow, place);
  if (error == ELOOP) {
    vt_resolved_close(place);
    error = find_by_walking(caller, base, given, follow, place);
  }
  if (base >= 0) close(base);
  if (!error && place->slashed && place->exists && !S_ISDIR(place->status.st_mode)) error = ENOTDIR;
  if (error) vt_resolved_close(place);
  return error;
}

void vt_resolved_close(struct vt_resolved *place) {
  if (place->parent >= 0 && !place->known) close(place->parent);
  place->parent = -1;
}
