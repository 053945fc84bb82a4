/* Files, descriptors and paths. */
#pragma once

#include <dirent.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

/* Which file it is, and by which mount it was reached. */
struct vt_identity {
  uint64_t device, inode, mount;
  int64_t birth; /* nanoseconds; 0: the file system tells none */
};

/* statx(2); never asks a file server. 0, or -1 with errno. */
int vt_identify(int directory, const char *path, int flags, struct vt_identity *identity);

/* lstat(2) without asking a file server, which could hang: device, inode, mode and links only. "": the descriptor itself. */
int vt_stat_known(int directory, const char *path, struct stat *status);

bool vt_identity_equals(const struct vt_identity *one, const struct vt_identity *other);

/* A set of files, by device and inode number. */
struct vt_inode_set {
  struct vt_inode {
    dev_t device; /* 0, which no file system has: empty */
    ino_t inode;
  } *slots;
  size_t count, room;
};

void vt_inode_set_add(struct vt_inode_set *inodes, const struct stat *status);
bool vt_inode_set_has(const struct vt_inode_set *inodes, const struct stat *status);
void vt_inode_set_free(struct vt_inode_set *inodes);

/* errno stays. */
void vt_close(int fd);
void vt_close_directory(DIR *directory);

/* Lists a directory; takes over its descriptor, or -1. NULL with errno. */
DIR *vt_list(int fd);

/* Sets close-on-exec from `first` on; without CLOSE_RANGE_CLOEXEC (before Linux 5.11) below 65536 only. Async-signal-safe.
 * 0, or -1 with errno. */
int vt_close_at_exec(int first);

/* Moves a new descriptor, or -1, above those that the child's streams replace. Closes it on failure. */
int vt_above_standard(int fd);

/* Removes everything in the directory, whatever its depth, modes and names. Returns 0 or the errno of what stays; ETIMEDOUT at
 * `deadline` (vt_now()). Blocks. */
int vt_directory_empty(int root, int64_t deadline);

/* Paths, walked name by name as in path_resolution(7). */

bool vt_path_is_dots(const char *name, size_t length);
bool vt_is_dots(const char *name);

/* Whether a directory that was just opened has no entries; false on an error. */
bool vt_is_empty(int directory);

/* Absolute, without ".", ".." and empty names: the real path unless there are symbolic links. */
bool vt_path_is_plain(const char *path);

/* For the target of a link in /proc/PID/fd (proc(5)). */
bool vt_path_is_deleted(const char *path);

/* What follows the directory in the path, with its slash; "": the directory itself, NULL: the path is elsewhere. */
const char *vt_path_beneath(const char *path, const char *directory);

/* A copy of a NULL-terminated vector, in one block with its texts. NULL: no memory. */
char **vt_paths_copy(const char *const *paths);

/* The path of our own descriptor. Returns 0 or an errno. */
int vt_path_of(int fd, char *to, size_t size);

/* linux/openat2.h (5.6): RESOLVE_NO_XDEV, RESOLVE_NO_MAGICLINKS, RESOLVE_NO_SYMLINKS, RESOLVE_BENEATH */
enum { RESOLVE_IN_MOUNT = 1, RESOLVE_NO_MAGIC = 2, RESOLVE_NO_LINKS = 4, RESOLVE_BELOW = 8 };

/* openat2(2) with those bits; -1 with errno. */
int vt_openat2(int directory, const char *path, int flags, uint64_t resolve);

/* -1 with ELOOP if there is a symbolic link, or no openat2(2). */
int vt_path_open_direct(int directory, const char *path, int flags);

struct vt_path_walk {
  char text[2 * PATH_MAX];
  const char *rest; /* behind the name read last */
  int links;
};

/* Reads the next name, skipping "." and empty ones; NULL at the end. */
const char *vt_path_next(struct vt_path_walk *walk, size_t *length);

/* Puts the link's target before the rest of the path. Returns 0 or an errno; EINVAL: it is no link. */
int vt_path_follow(struct vt_path_walk *walk, const char *link, char target[PATH_MAX]);
