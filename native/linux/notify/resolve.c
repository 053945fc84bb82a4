#define _GNU_SOURCE
#include "notify/resolve.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "confine/seccomp_constants.h"

/* asm-generic/unistd.h, linux/openat2.h (5.6); MAXSYMLINKS of linux/namei.h */
enum { NR_OPENAT2 = 437, RESOLVE_NO_LINKS = 4, MOST_LINKS = 40 };
enum { DIRECTORY = O_PATH | O_DIRECTORY | O_CLOEXEC };

struct how { /* struct open_how */
  uint64_t flags, mode, resolve;
};

static int open_base(const struct vt_caller *caller, int directory) {
  char path[48];
  if (directory == AT_FDCWD) snprintf(path, sizeof path, "/proc/%d/cwd", caller->thread);
  else snprintf(path, sizeof path, "/proc/%d/fd/%d", caller->thread, directory);
  return open(path, DIRECTORY);
}

/* The path of our own descriptor. */
static int name_of(int fd, char *to, size_t size) {
  char path[32];
  snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(path, to, size - 1);
  if (length < 0) return errno;
  to[length] = 0;
  return 0;
}

static bool is_dots(const char *name, size_t length) {
  return (length == 1 && name[0] == '.') || (length == 2 && name[0] == '.' && name[1] == '.');
}

/* Splits "a/b/c" into "a/b/" and "c"; if it ends in a slash, "." or "..", the name is empty. */
static int split(const char *given, char *directory, char *name) {
  const char *slash = strrchr(given, '/');
  size_t before = slash ? (size_t)(slash + 1 - given) : 0, length = strlen(given + before);
  if (is_dots(given + before, length)) {
    before += length;
    length = 0;
  }
  if (before >= PATH_MAX || length > NAME_MAX) return ENAMETOOLONG;
  memcpy(directory, given, before);
  directory[before] = 0;
  memcpy(name, given + before, length + 1);
  return 0;
}

/* Builds the path's text from the directory. */
static int complete(struct vt_resolved *place) {
  int error = name_of(place->parent, place->path, sizeof place->path);
  if (error || !place->name[0]) return error;
  size_t length = strlen(place->path);
  if (length == 1) length = 0; /* "/" */
  int written = snprintf(place->path + length, sizeof place->path - length, "/%s", place->name);
  return (size_t)written < sizeof place->path - length ? 0 : ENAMETOOLONG;
}

static int look(struct vt_resolved *place) {
  int flags = AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT | AT_EMPTY_PATH;
  place->exists = fstatat(place->parent, place->name, &place->status, flags) == 0;
  return place->exists || errno == ENOENT ? 0 : errno;
}

/* The usual case, no symbolic links, in two or three calls. ELOOP: there is one, or no openat2(2). */
static int find_directly(int base, const char *given, bool follow, struct vt_resolved *place) {
  char directory[PATH_MAX];
  int error = split(given, directory, place->name);
  if (error) return error;
  struct how how = {.flags = DIRECTORY, .resolve = RESOLVE_NO_LINKS};
  place->parent = (int)syscall(NR_OPENAT2, base, directory[0] ? directory : ".", &how, sizeof how);
  if (place->parent < 0) return errno == ENOSYS || errno == EPERM ? ELOOP : errno;
  error = look(place);
  if (!error && place->exists && follow && S_ISLNK(place->status.st_mode)) error = ELOOP;
  return error ? error : complete(place);
}

/* A walk along a path, link by link: the resolved part and the rest. */
struct walk {
  const struct vt_caller *caller;
  char done[PATH_MAX], rest[2 * PATH_MAX];
  int links;
};

static void step_back(struct walk *walk) {
  char *slash = strrchr(walk->done, '/');
  if (slash) *slash = 0;
}

/* "/proc/self" would name us, so it is replaced by the caller's number (proc(5)). */
static int step_into(struct walk *walk, const char *name, size_t length) {
  char own[64];
  bool in_proc = strcmp(walk->done, "/proc") == 0;
  if (in_proc && length == 4 && memcmp(name, "self", 4) == 0) {
    length = (size_t)snprintf(own, sizeof own, "%d", vt_caller_process(walk->caller));
    name = own;
  } else if (in_proc && length == 11 && memcmp(name, "thread-self", 11) == 0) {
    length = (size_t)snprintf(own, sizeof own, "%d/task/%d", vt_caller_process(walk->caller),
                              walk->caller->thread);
    name = own;
  }
  size_t have = strlen(walk->done);
  if (have + 1 + length >= sizeof walk->done) return ENAMETOOLONG;
  walk->done[have] = '/';
  memcpy(walk->done + have + 1, name, length);
  walk->done[have + 1 + length] = 0;
  return 0;
}

/* "pipe:[1]", "socket:[2]", "anon_inode:...", "/gone (deleted)": not in the file tree (proc(5), /proc/pid/fd) */
static bool leads_nowhere(const char *target, size_t length) {
  static const char deleted[] = " (deleted)";
  const size_t end = sizeof deleted - 1;
  if (target[0] != '/') return strchr(target, ':') != NULL;
  return length > end && strcmp(target + length - end, deleted) == 0;
}

/* Replaces the link just reached by its target. EAGAIN: the walk goes on with a new rest. */
static int follow_link(struct walk *walk, const char *rest) {
  char target[PATH_MAX], joined[2 * PATH_MAX];
  ssize_t length = readlink(walk->done, target, sizeof target - 1);
  if (length < 0) return errno == EINVAL ? 0 : errno; /* not a link */
  target[length] = 0;
  if (++walk->links > MOST_LINKS) return ELOOP;
  if (strncmp(walk->done, "/proc/", 6) == 0 && leads_nowhere(target, (size_t)length)) return VT_NO_FILE;
  if ((size_t)snprintf(joined, sizeof joined, "%s/%s", target, rest) >= sizeof joined) return ENAMETOOLONG;
  if (target[0] == '/') walk->done[0] = 0;
  else step_back(walk);
  /* A final link must leave no trailing slash, which would demand a directory. */
  if (!*rest) joined[length] = 0;
  strcpy(walk->rest, joined);
  return EAGAIN;
}

static int walk_on(struct walk *walk, bool follow) {
  for (char *at = walk->rest; *at;) {
    size_t slashes = strspn(at, "/"), length = strcspn(at + slashes, "/");
    const char *name = at + slashes;
    at += slashes + length;
    if (length == 0 || (length == 1 && *name == '.')) continue;
    if (is_dots(name, length)) {
      step_back(walk);
      continue;
    }
    int error = step_into(walk, name, length);
    if (error) return error;
    if (!*at && !follow) return 0;
    error = follow_link(walk, at + strspn(at, "/"));
    if (error == EAGAIN) at = walk->rest;
    else if (error == ENOENT && !at[strspn(at, "/")]) return 0; /* the last component may be missing */
    else if (error) return error;
  }
  return 0;
}

static int find_by_walking(const struct vt_caller *caller, int base, const char *given, bool follow,
                           struct vt_resolved *place) {
  struct walk walk = {.caller = caller};
  int error = given[0] == '/' ? 0 : name_of(base, walk.done, sizeof walk.done);
  if (error) return error;
  if (strcmp(walk.done, "/") == 0) walk.done[0] = 0;
  strcpy(walk.rest, given);
  error = walk_on(&walk, follow);
  if (error) return error;
  char directory[PATH_MAX];
  error = split(walk.done[0] ? walk.done : "/", directory, place->name);
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
  place->parent = -1;
  if (!path[0]) return ENOENT;
  if (strlen(path) >= sizeof given) return ENAMETOOLONG;
  follow |= cut_slashes(strcpy(given, path));
  if (vt_test_before_lookup) vt_test_before_lookup();
  int base = given[0] == '/' ? AT_FDCWD : open_base(caller, directory);
  if (given[0] != '/' && base < 0) return errno;
  int error = find_directly(base, given, follow, place);
  if (error == ELOOP) {
    vt_resolved_close(place);
    error = find_by_walking(caller, base, given, follow, place);
  }
  if (base >= 0) close(base);
  if (error) vt_resolved_close(place);
  return error;
}

bool vt_resolve_takes_empty_path(void) {
  static int known; /* atomic; 0: unknown, 1: yes, -1: no */
  if (vt_test_takes_empty_path) return vt_test_takes_empty_path();
  if (!__atomic_load_n(&known, __ATOMIC_RELAXED)) {
    int root = open("/", DIRECTORY), again = openat(root, "", O_RDONLY | O_DIRECTORY | O_CLOEXEC | (int)VT_O_EMPTYPATH);
    __atomic_store_n(&known, again >= 0 ? 1 : -1, __ATOMIC_RELAXED);
    if (again >= 0) close(again);
    if (root >= 0) close(root);
  }
  return __atomic_load_n(&known, __ATOMIC_RELAXED) > 0;
}

void vt_resolved_close(struct vt_resolved *place) {
  if (place->parent >= 0) close(place->parent);
  place->parent = -1;
}
