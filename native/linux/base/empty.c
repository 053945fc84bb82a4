/* Empties a directory that a command could write to. Its tree can be deeper than the limits on paths and descriptors: non-empty
 * directories are moved up to the root before they are read, so two descriptors are enough. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/basics.h"
#include "base/files.h"

enum { DIRECTORY = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC };

struct emptying {
  int root;
  dev_t device;
  int64_t deadline;
  unsigned moved;
  bool progress;
  int error;
};

static void note(struct emptying *emptying, int failed) {
  if (!failed) emptying->progress = true;
  else if (!emptying->error) emptying->error = errno;
}

/* The chmod goes through an O_PATH descriptor: a process that still runs could exchange the name for a symlink. */
static int open_shut(int at, const char *name) {
  char link[32];
  int fd = openat(at, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0) return -1;
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  int opened = chmod(link, S_IRWXU) ? -1 : openat(fd, ".", DIRECTORY);
  vt_close(fd);
  return opened;
}

/* Makes the directory writable. EXDEV: a mount point, whose contents must stay. */
static int open_inside(const struct emptying *emptying, int at, const char *name) {
  struct stat status;
  int fd = openat(at, name, DIRECTORY);
  if (fd < 0 && errno == EACCES) fd = open_shut(at, name);
  if (fd < 0) return -1;
  int error = fstat(fd, &status) ? errno : status.st_dev != emptying->device ? EXDEV : 0;
  if (!error && (status.st_mode & S_IRWXU) != S_IRWXU && fchmod(fd, S_IRWXU)) error = errno;
  if (!error) return fd;
  close(fd);
  errno = error;
  return -1;
}

/* Only a writable directory can be moved (rename(2), EACCES): open_inside() makes it so. */
static int move_up(struct emptying *emptying, int from, const char *name) {
  char above[32];
  int failed, opened = open_inside(emptying, from, name);
  if (opened < 0) return -1;
  close(opened);
  do {
    snprintf(above, sizeof above, "vitrine-%u", emptying->moved++);
    failed = renameat(from, name, emptying->root, above);
  } while (failed && (errno == EEXIST || errno == ENOTEMPTY || errno == ENOTDIR));
  return failed;
}

/* On Linux unlink(2) of a directory fails with EISDIR. */
static int remove_name(int at, const char *name, bool maybe_file) {
  if (maybe_file && unlinkat(at, name, 0) == 0) return 0;
  if (maybe_file && errno != EISDIR) return -1;
  return unlinkat(at, name, AT_REMOVEDIR);
}

static bool is_filled(void) { return errno == ENOTEMPTY || errno == EEXIST; }

static void clear(struct emptying *emptying, const char *name) {
  int fd = open_inside(emptying, emptying->root, name);
  DIR *entries = vt_list(fd);
  if (!entries) return note(emptying, -1);
  for (struct dirent *entry; (entry = readdir(entries)) && vt_now() < emptying->deadline;) {
    if (vt_is_dots(entry->d_name)) continue;
    int failed = remove_name(fd, entry->d_name, entry->d_type != DT_DIR);
    if (failed && is_filled()) failed = move_up(emptying, fd, entry->d_name);
    note(emptying, failed);
  }
  closedir(entries);
  note(emptying, unlinkat(emptying->root, name, AT_REMOVEDIR));
}

static void remove_entry(struct emptying *emptying, const struct dirent *entry) {
  int failed = remove_name(emptying->root, entry->d_name, entry->d_type != DT_DIR);
  if (failed && is_filled()) clear(emptying, entry->d_name);
  else note(emptying, failed);
}

static int make_pass(struct emptying *emptying, DIR *entries) {
  int seen = 0;
  emptying->progress = false;
  emptying->error = 0;
  rewinddir(entries);
  for (struct dirent *entry; (entry = readdir(entries)) && vt_now() < emptying->deadline;) {
    if (vt_is_dots(entry->d_name)) continue;
    seen++;
    remove_entry(emptying, entry);
  }
  return seen;
}

/* Another pass finds entries that were written or moved up behind the position of readdir. */
int vt_directory_empty(int root, int64_t deadline) {
  struct stat status;
  if (fstat(root, &status)) return errno;
  struct emptying emptying = {.root = root, .device = status.st_dev, .deadline = deadline};
  DIR *entries = vt_list(openat(root, ".", DIRECTORY));
  if (!entries) return errno;
  int seen;
  do seen = make_pass(&emptying, entries);
  while (seen > 0 && emptying.progress && vt_now() < deadline);
  closedir(entries);
  if (seen == 0) return 0;
  return emptying.progress || !emptying.error ? ETIMEDOUT : emptying.error;
}
