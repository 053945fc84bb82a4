#define _GNU_SOURCE
#include "limits/unlinked_files.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files/inode_set.h"

enum { BLOCK = 512, TARGET_BYTES = 4096 + 16 }; /* st_blocks counts in 512 (stat(3type)); PATH_MAX and " (deleted)" */

struct scan {
  const char *const *prefixes;
  uint64_t bytes;
  struct vt_inode_set counted;
};

static bool is_wanted(const struct scan *scan, const char *target) {
  for (const char *const *prefix = scan->prefixes; *prefix; prefix++)
    if (strncmp(target, *prefix, strlen(*prefix)) == 0) return true;
  return false;
}

/* Checks the link text before it calls stat: stat on a descriptor of a dead network mount could hang. */
static void count(struct scan *scan, int directory, const char *name) {
  char target[TARGET_BYTES];
  struct stat status;
  ssize_t length = readlinkat(directory, name, target, sizeof target - 1);
  if (length <= 0) return;
  target[length] = 0;
  if (!is_wanted(scan, target) || fstatat(directory, name, &status, 0)) return;
  if (status.st_nlink > 0 || !S_ISREG(status.st_mode) || vt_inode_set_has(&scan->counted, &status)) return;
  vt_inode_set_add(&scan->counted, &status);
  scan->bytes += (uint64_t)status.st_blocks * BLOCK;
}

static void look_at(struct scan *scan, pid_t pid) {
  char path[32];
  snprintf(path, sizeof path, "/proc/%d/fd", pid);
  DIR *directory = opendir(path);
  if (!directory) return;
  for (const struct dirent *entry; (entry = readdir(directory));) count(scan, dirfd(directory), entry->d_name);
  closedir(directory);
}

uint64_t vt_unlinked_files(const char *const *prefixes, const struct vt_process_set *members, uint64_t limit) {
  struct scan scan = {.prefixes = prefixes};
  for (int at = 0; at < members->found.count && scan.bytes <= limit; at++) look_at(&scan, members->found.at[at]);
  vt_inode_set_free(&scan.counted);
  return scan.bytes;
}
