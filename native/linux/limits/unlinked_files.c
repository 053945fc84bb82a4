#define _GNU_SOURCE
#include "limits/unlinked_files.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "base/files/inode_set.h"
#include "base/procfs.h"

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
static bool count(void *context, int directory, const char *name, const char *target) {
  struct scan *scan = context;
  struct stat status;
  if (!is_wanted(scan, target) || fstatat(directory, name, &status, 0)) return false;
  if (status.st_nlink > 0 || !S_ISREG(status.st_mode) || vt_inode_set_has(&scan->counted, &status)) return false;
  vt_inode_set_add(&scan->counted, &status);
  scan->bytes += (uint64_t)status.st_blocks * VT_BLOCK_BYTES;
  return false;
}

uint64_t vt_unlinked_files(const char *const *prefixes, const struct vt_process_set *members, uint64_t limit) {
  struct scan scan = {.prefixes = prefixes};
  for (int at = 0; at < members->found.count && scan.bytes <= limit; at++) vt_procfs_find_link(members->found.at[at], &scan, count);
  vt_inode_set_free(&scan.counted);
  return scan.bytes;
}
