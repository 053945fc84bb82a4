#define _GNU_SOURCE
#include "base/paths.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/kernel.h"

enum { MOST_LINKS = 40 }; /* linux/namei.h: MAXSYMLINKS */

bool vt_path_is_dots(const char *name, size_t length) {
  return (length == 1 || length == 2) && memcmp(name, "..", length) == 0;
}

bool vt_is_dots(const char *name) { return vt_path_is_dots(name, strlen(name)); }

bool vt_is_empty(int directory) {
  char entries[512] __attribute__((aligned(8)));
  long length;
  while ((length = syscall(SYS_getdents64, directory, entries, sizeof entries)) > 0)
    for (long at = 0; at < length;) {
      const struct entry *entry = (const void *)(entries + at);
      if (!vt_is_dots(entry->name)) return false;
      at += entry->length;
    }
  return length == 0;
}

bool vt_path_is_plain(const char *path) {
  size_t length;
  for (const char *at = path; *at == '/'; at += 1 + length) {
    length = strcspn(at + 1, "/");
    if (!length || vt_path_is_dots(at + 1, length)) return false;
  }
  return path[0] == '/';
}

bool vt_path_is_deleted(const char *path) {
  static const char mark[] = " (deleted)";
  const size_t length = strlen(path), end = sizeof mark - 1;
  return length > end && strcmp(path + length - end, mark) == 0;
}

const char *vt_path_beneath(const char *path, const char *directory) {
  size_t length = strlen(directory);
  const char *rest = path + length;
  return strncmp(path, directory, length) == 0 && (*rest == '/' || *rest == 0) ? rest : NULL;
}

char **vt_paths_copy(const char *const *paths) {
  size_t count = 0, bytes = 0;
  for (; paths[count]; count++) bytes += strlen(paths[count]) + 1;
  char **copy = malloc((count + 1) * sizeof *copy + bytes);
  if (!copy) return NULL;
  char *at = (char *)(copy + count + 1);
  for (size_t i = 0; i < count; i++) {
    copy[i] = at;
    at = stpcpy(at, paths[i]) + 1;
  }
  copy[count] = NULL;
  return copy;
}

/* A thread may have its own descriptor table (notify/caller/borrow_fd.c). */
int vt_path_of(int fd, char *to, size_t size) {
  char link[48];
  snprintf(link, sizeof link, "/proc/thread-self/fd/%d", fd);
  ssize_t length = readlink(link, to, size);
  if (length < 0) return errno;
  if ((size_t)length == size) return ENAMETOOLONG;
  to[length] = 0;
  return 0;
}

int vt_openat2(int directory, const char *path, int flags, uint64_t resolve) {
  struct { /* linux/openat2.h (5.6): struct open_how */
    uint64_t flags, mode, resolve;
  } how = {.flags = (uint64_t)flags, .resolve = resolve};
  return (int)syscall(NR_OPENAT2, directory, path, &how, sizeof how);
}

int vt_path_open_direct(int directory, const char *path, int flags) {
  int fd = vt_openat2(directory, path, flags, RESOLVE_NO_LINKS);
  if (fd < 0 && (errno == ENOSYS || errno == EPERM)) errno = ELOOP;
  return fd;
}

const char *vt_path_next(struct vt_path_walk *walk, size_t *length) {
  const char *name;
  do {
    name = walk->rest + strspn(walk->rest, "/");
    *length = strcspn(name, "/");
    walk->rest = name + *length;
  } while (*length == 1 && *name == '.');
  return *length ? name : NULL;
}

int vt_path_follow(struct vt_path_walk *walk, const char *link, char target[PATH_MAX]) {
  char whole[sizeof walk->text];
  const char *rest = walk->rest + strspn(walk->rest, "/");
  ssize_t length = readlink(link, target, PATH_MAX - 1);
  if (length < 0) return errno;
  target[length] = 0;
  if (++walk->links > MOST_LINKS) return ELOOP;
  /* No slash behind a final link's target: it would demand a directory. */
  int needed = snprintf(whole, sizeof whole, "%s%s%s", target, *rest ? "/" : "", rest);
  if (needed < 0 || (size_t)needed >= sizeof whole) return ENAMETOOLONG;
  memcpy(walk->text, whole, (size_t)needed + 1);
  walk->rest = walk->text;
  return 0;
}
