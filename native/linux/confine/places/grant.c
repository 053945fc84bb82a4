/* Adds the rules for granted paths, from the root down by descriptors, without following links. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files.h"
#include "confine/landlock.h"
#include "confine/places/places.h"

/* Each rule costs the kernel about 0.1 microseconds per start of a command; each level takes a descriptor and a part of the stack. */
enum { MOST_RULES = 250000, MOST_DEPTH = 200 };

struct pass {
  struct vt_places *places;
  const struct vt_places_access *access;
  int ruleset, rules;
};

static int enter(struct pass *pass, int fd, const struct vt_path_node *node, bool granted);

/* A rule keeps an inode in memory, and with it the number by which the file is recognised under another name: vfat, which knows
 * files by short names too, numbers an inode anew each time it is read. */
static int pin(struct pass *pass, int fd, const struct stat *status) {
  if (!pass->access->pinned) return 0;
  vt_inode_set_add(&pass->places->kept, status);
  return vt_landlock_grant_at(pass->ruleset, fd, pass->access->pinned) && errno != EBADFD ? -1 : 0;
}

static int grant_whole(struct pass *pass, int fd, const struct stat *status) {
  if (vt_inode_set_has(&pass->places->kept, status)) return pin(pass, fd, status);
  if (vt_places_is_linked(pass->places, status)) return 0;
  if (++pass->rules > MOST_RULES) {
    errno = E2BIG;
    return -1;
  }
  const struct vt_places_access *access = pass->access;
  if (access->skips_devices && (S_ISCHR(status->st_mode) || S_ISBLK(status->st_mode))) return 0;
  if (vt_landlock_grant_at(pass->ruleset, fd, S_ISDIR(status->st_mode) ? access->directory : access->file))
    return errno == EBADFD ? 0 : -1; /* a kernel-internal file, such as a namespace (landlock_add_rule(2)) */
  if (access->granted) vt_inode_set_add(access->granted, status);
  return 0;
}

/* A path that is gone, inaccessible or on a dead file system (ENOTCONN, ESTALE) stays refused. */
static int unless_out_of_room(void) { return errno == EMFILE || errno == ENFILE || errno == ENOMEM ? -1 : 0; }

static int grant_entry(struct pass *pass, int directory, const char *text, const struct vt_path_node *node, bool granted) {
  int fd = openat(directory, text, O_PATH | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0) return unless_out_of_room();
  int failed = enter(pass, fd, node, granted);
  vt_close(fd);
  return failed;
}

static int grant_entries(struct pass *pass, int fd, const struct vt_path_node *node) {
  int list = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (list < 0) return unless_out_of_room();
  DIR *directory = vt_list(list);
  if (!directory) return -1;
  int failed = 0;
  for (struct dirent *entry; !failed && (entry = readdir(directory));) {
    const char *text = entry->d_name;
    const struct vt_path_node *child = vt_path_node_child(node, text, strlen(text));
    if (!vt_is_dots(text) && (child || !node->closed)) failed = grant_entry(pass, fd, text, child, true);
  }
  vt_close_directory(directory);
  return failed;
}

static int pass_through(struct pass *pass, int fd, const struct vt_path_node *node) {
  int failed = 0;
  for (const struct vt_path_node *child = node->children; child && !failed; child = child->next)
    failed = grant_entry(pass, fd, child->text, child, false);
  return failed;
}

/* `node`: NULL: an entry that the tree does not name, in a granted directory. */
static int enter(struct pass *pass, int fd, const struct vt_path_node *node, bool granted) {
  struct stat status;
  if (vt_stat_known(fd, "", &status) || S_ISLNK(status.st_mode)) return 0;
  if (node && node->kept) return pin(pass, fd, &status);
  granted = granted || node->granted;
  if (granted && !(node && node->cut)) return grant_whole(pass, fd, &status);
  if (!S_ISDIR(status.st_mode)) return 0;
  if (node->depth > MOST_DEPTH) {
    errno = ENAMETOOLONG;
    return -1;
  }
  if (!granted) return pass_through(pass, fd, node);
  if (pin(pass, fd, &status)) return -1;
  if (node->granted && pass->access->listing && vt_landlock_grant_at(pass->ruleset, fd, pass->access->listing)) return -1;
  return grant_entries(pass, fd, node);
}

int vt_places_grant(struct vt_places *places, const struct vt_places_access *access, int ruleset) {
  struct pass pass = {places, access, ruleset, 0};
  int root = open("/", O_PATH | O_CLOEXEC);
  if (root < 0) return -1;
  int failed = enter(&pass, root, places->root, false);
  vt_close(root);
  return failed;
}
