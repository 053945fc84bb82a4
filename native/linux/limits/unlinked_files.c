#define _GNU_SOURCE
#include "limits/unlinked_files.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BLOCK = 512, TARGET_BYTES = 4096 + 16 }; /* st_blocks counts in 512 (stat(3type)); PATH_MAX and " (deleted)" */

static bool is_wanted(const struct vt_unlinked_files *nameless, const char *target) {
  for (const char *const *prefix = nameless->prefixes; *prefix; prefix++)
    if (strncmp(target, *prefix, strlen(*prefix)) == 0) return true;
  return false;
}

static bool is_known(struct vt_unlinked_files *nameless, ino_t inode) {
  for (int at = 0; at < nameless->count; at++)
    if (nameless->known[at] == inode) return true;
  if (nameless->count < VT_UNLINKED_FILES_MAX) nameless->known[nameless->count++] = inode;
  return false;
}

/* Checks the link text before it calls stat: stat on a descriptor of a dead network mount could hang. */
static void count(struct vt_unlinked_files *nameless, int directory, const char *name) {
  char target[TARGET_BYTES];
  struct stat status;
  ssize_t length = readlinkat(directory, name, target, sizeof target - 1);
  if (length <= 0) return;
  target[length] = 0;
  if (!is_wanted(nameless, target) || fstatat(directory, name, &status, 0)) return;
  if (status.st_nlink > 0 || !S_ISREG(status.st_mode) || is_known(nameless, status.st_ino)) return;
  nameless->bytes += (uint64_t)status.st_blocks * BLOCK;
}

static void look_at(struct vt_unlinked_files *nameless, pid_t pid) {
  char path[32];
  snprintf(path, sizeof path, "/proc/%d/fd", pid);
  DIR *directory = opendir(path);
  if (!directory) return;
  for (const struct dirent *entry; (entry = readdir(directory));) count(nameless, dirfd(directory), entry->d_name);
  closedir(directory);
}

void vt_unlinked_files_scan(struct vt_unlinked_files *nameless, const struct vt_process_set *members, uint64_t limit) {
  nameless->bytes = 0;
  nameless->count = 0;
  for (int at = 0; at < members->found.count && nameless->bytes <= limit; at++) look_at(nameless, members->found.at[at]);
}
