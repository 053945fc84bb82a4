/* Private directories: one per command that is granted one, in a directory that only its user can change.
 *
 *   TEMPORARY/vitrine-UID/      0700, checked: ours, no symlink, no access for others
 *     RANDOM/                   0700, locked with flock(2) while the host lives; the command cannot write here
 *       tmp/                    granted to the command
 *
 * The lock marks a directory in use. The kernel drops it with the last descriptor, thus with the process, independent of pids and
 * PID namespaces. An unlocked directory was left by a killed host and is swept. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/basics.h"
#include "base/files.h"
#include "confine/capabilities.h"
#include "confine/confine.h"
#include "core.h"

enum { DIRECTORY = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC };
enum { NAME_BYTES = 16, NAME_LENGTH = 2 * NAME_BYTES, MOST_TRIES = 16, MOST_MS = 120000 };

static const char granted[] = "tmp";

static int fail(struct vt_private *made, const char *step, int error) {
  made->failed_step = step;
  made->failed_errno = error;
  return -1;
}

/* Another user could rename our directories: the owner, or, without the sticky bit, every user who can write. Owners outside of our
 * user namespace, such as root, show as UNMAPPED (user_namespaces(7)). */
static bool is_shared(const struct stat *status) {
  enum { UNMAPPED = 65534 };
  uid_t owner = status->st_uid;
  bool writable = status->st_mode & (S_IWGRP | S_IWOTH);
  return (owner != geteuid() && owner != 0 && owner != UNMAPPED) || (writable && !(status->st_mode & S_ISVTX));
}

static int open_temporary(const char *temporary, struct vt_private *made) {
  struct stat status;
  int fd = open(temporary, O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return fail(made, "temporary", errno);
  int error = fstat(fd, &status) ? errno : is_shared(&status) ? EPERM : 0;
  if (!error) return fd;
  close(fd);
  return fail(made, "unsafe", error);
}

/* Mode 0700, whatever the umask. In these places no other user can replace the directory before the chmod. */
static int make_at(int at, const char *name) {
  return mkdirat(at, name, S_IRWXU) || fchmodat(at, name, S_IRWXU, 0) ? -1 : 0;
}

static void name_parent(char name[32]) { snprintf(name, 32, "vitrine-%u", (unsigned)geteuid()); }

/* Opens vitrine-UID, at which another user may have put anything. */
static int open_parent(const char *temporary, bool make, struct vt_private *made) {
  char name[32];
  struct stat status;
  int above = open_temporary(temporary, made);
  if (above < 0) return -1;
  name_parent(name);
  int failed = make && make_at(above, name) && errno != EEXIST;
  int fd = failed ? -1 : openat(above, name, DIRECTORY);
  int error = errno;
  close(above);
  if (failed) return fail(made, "parent", error);
  if (fd < 0) return fail(made, error == ELOOP || error == ENOTDIR ? "foreign" : "parent", error);
  if (fstat(fd, &status) == 0 && status.st_uid == geteuid() && !(status.st_mode & (S_IRWXG | S_IRWXO))) return fd;
  close(fd);
  return fail(made, "foreign", EPERM);
}

static int random_name(char name[NAME_LENGTH + 1]) {
  unsigned char bytes[NAME_BYTES];
  if (getrandom(bytes, sizeof bytes, 0) != sizeof bytes) return -1;
  for (int at = 0; at < NAME_BYTES; at++) snprintf(name + 2 * at, 3, "%02x", bytes[at]);
  return 0;
}

static bool is_our_name(const char *name) {
  return strlen(name) == NAME_LENGTH && strspn(name, "0123456789abcdef") == NAME_LENGTH;
}

/* ENOENT: a sweep removed the directory before it was locked. EWOULDBLOCK: its host or a sweep holds the lock. */
static int lock_directory(int fd) {
  struct stat status;
  if (flock(fd, LOCK_EX | LOCK_NB)) return errno;
  if (fstat(fd, &status)) return errno;
  return status.st_nlink > 0 ? 0 : ENOENT;
}

/* The next command makes it again. */
static void close_parent(int parent) {
  char name[32];
  int above = openat(parent, "..", O_PATH | O_DIRECTORY | O_CLOEXEC);
  name_parent(name);
  if (above >= 0) {
    unlinkat(above, name, AT_REMOVEDIR);
    close(above);
  }
  close(parent);
}

static int make_locked(int parent, struct vt_private *made) {
  char name[NAME_LENGTH + 1];
  if (random_name(name)) return fail(made, "directory", errno);
  if (make_at(parent, name)) return fail(made, "directory", errno);
  int fd = openat(parent, name, DIRECTORY);
  if (fd < 0) return fail(made, "directory", errno);
  int error = lock_directory(fd);
  if (!error) return fd;
  unlinkat(parent, name, AT_REMOVEDIR);
  close(fd);
  return fail(made, "lock", error);
}

static int fill(int fd, struct vt_private *made) {
  struct stat status;
  int error = vt_path_of(fd, made->path, sizeof made->path - sizeof granted);
  if (error) return fail(made, "directory", error);
  strcat(strcat(made->path, "/"), granted);
  if (make_at(fd, granted)) return fail(made, "directory", errno);
  if (stat(made->path, &status)) return fail(made, "directory", errno);
  return 0;
}

static void make_directory(const char *temporary, struct vt_private *made) {
  int parent = open_parent(temporary, true, made);
  if (parent < 0) return;
  made->lock = make_locked(parent, made);
  close(parent);
}

/* Races with a sweep or another host may be retried; a temporary directory that is missing may not. */
static bool may_try_again(const struct vt_private *made) {
  return strcmp(made->failed_step, "temporary") && strcmp(made->failed_step, "unsafe") &&
         (made->failed_errno == ENOENT || made->failed_errno == EWOULDBLOCK || made->failed_errno == EEXIST);
}

void vt_core_make_private(const char *temporary, struct vt_private *made) {
  *made = (struct vt_private){.lock = -1};
  for (int tried = 0; tried < MOST_TRIES; tried++) {
    make_directory(temporary, made);
    if (made->lock >= 0 || !may_try_again(made)) break;
  }
  if (made->lock < 0) return;
  made->failed_step = NULL;
  made->failed_errno = 0;
  if (fill(made->lock, made) == 0) return;
  vt_core_remove_private(made->lock);
  made->lock = -1;
}

/* A command may have moved a directory of the workspace here, with files of other users: what root's command cannot remove, its host
 * leaves. */
static int empty(int fd) {
  struct vt_capabilities before;
  if (vt_capabilities_lower(0, &before)) return errno;
  int error = fchmod(fd, S_IRWXU) ? errno : vt_directory_empty(fd, vt_now() + MOST_MS);
  return vt_capabilities_restore(&before) ? errno : error;
}

static int remove_locked(int parent, const char *name, int fd) {
  int error = empty(fd);
  if (error) return error;
  return unlinkat(parent, name, AT_REMOVEDIR) && errno != ENOENT ? errno : 0;
}

/* Returns the parent's descriptor and the current name, or -1 with errno; ENOENT: it is gone. */
static int find_locked(int lock, char name[NAME_LENGTH + 1]) {
  char path[sizeof((struct vt_private *)0)->path];
  struct stat status;
  errno = vt_path_of(lock, path, sizeof path);
  if (errno || fstat(lock, &status)) return -1;
  if (status.st_nlink == 0 || strlen(strrchr(path, '/') + 1) != NAME_LENGTH) {
    errno = ENOENT;
    return -1;
  }
  strcpy(name, strrchr(path, '/') + 1);
  return openat(lock, "..", O_PATH | O_DIRECTORY | O_CLOEXEC);
}

int vt_core_remove_private(int lock) {
  char name[NAME_LENGTH + 1];
  int parent = find_locked(lock, name);
  int error = parent >= 0 ? remove_locked(parent, name, lock) : errno == ENOENT ? 0 : errno;
  if (parent >= 0) close_parent(parent);
  close(lock);
  vt_confinement_prune();
  return error;
}

bool vt_core_remove_empty_private(int lock) {
  char name[NAME_LENGTH + 1];
  if (unlinkat(lock, granted, AT_REMOVEDIR)) return false;
  int parent = find_locked(lock, name);
  if (parent < 0) return false;
  bool gone = unlinkat(parent, name, AT_REMOVEDIR) == 0;
  close_parent(parent);
  if (gone) close(lock);
  if (gone) vt_confinement_prune();
  return gone;
}

/* A command can change its mode, attributes and times (reset here); many entries enlarge it, on ext4 for good. */
static bool is_as_made(int lock, int fd) {
  struct stat above, status;
  if (fstat(lock, &above) || fstat(fd, &status) || status.st_mode != above.st_mode || status.st_uid != above.st_uid) return false;
  if (status.st_gid != above.st_gid || status.st_size > 4096) return false;
  return flistxattr(fd, NULL, 0) == flistxattr(lock, NULL, 0) && vt_is_empty(fd) && futimens(fd, NULL) == 0;
}

bool vt_core_reset_private(int lock) {
  int fd = openat(lock, granted, DIRECTORY);
  bool fit = fd >= 0 && is_as_made(lock, fd);
  vt_close(fd);
  return fit;
}

/* Skips a locked directory: its host lives, or another sweep removes it. */
static int sweep_one(int parent, const char *name) {
  int fd = openat(parent, name, DIRECTORY);
  if (fd < 0) return errno == ENOENT || errno == ENOTDIR || errno == ELOOP ? 0 : errno;
  int error = lock_directory(fd);
  if (!error) error = remove_locked(parent, name, fd);
  else if (error == EWOULDBLOCK || error == ENOENT) error = 0;
  close(fd);
  return error;
}

int vt_core_sweep_private(const char *temporary) {
  struct vt_private made = {.lock = -1};
  int fd = open_parent(temporary, false, &made), error = 0;
  if (fd < 0) return made.failed_errno == ENOENT ? 0 : made.failed_errno;
  DIR *entries = vt_list(fd);
  if (!entries) return errno;
  for (struct dirent *entry; (entry = readdir(entries));) {
    int failed = is_our_name(entry->d_name) ? sweep_one(fd, entry->d_name) : 0;
    if (failed) error = failed;
  }
  int parent = openat(fd, ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
  closedir(entries);
  if (parent >= 0) close_parent(parent);
  return error;
}
