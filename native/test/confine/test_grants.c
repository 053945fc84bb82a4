/* What the ruleset alone grants: behind it stand the filter and the capabilities, which would hide a grant too many. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../check.h"
#include "confine/ruleset.h"

static char root[] = "/tmp/vitrine-grants-XXXXXX";

/* Calls `attempt` in a process that the ruleset holds. Returns its errno; -1 where it could not be held. */
static int held(const struct vt_landlock_options *options, int (*attempt)(void)) {
  int status = 0;
  pid_t pid = fork();
  if (pid == 0) {
    int ruleset = vt_landlock_build(options);
    if (ruleset < 0 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || vt_landlock_restrict(ruleset)) _exit(255);
    _exit(attempt() < 0 ? errno : 0);
  }
  waitpid(pid, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) != 255 ? WEXITSTATUS(status) : -1;
}

/* The only device node that mknod(2) makes without CAP_MKNOD: WHITEOUT_DEV (linux/fs.h). */
static int make_character_device(void) { return mknod("device", S_IFCHR | 0600, makedev(0, 0)); }

/* Landlock answers before the capability is asked for. */
static int make_block_device(void) { return mknod("block", S_IFBLK | 0600, makedev(7, 255)); }

static int make_fifo(void) { return mknod("fifo", S_IFIFO | 0600, 0); }

static int make_file(void) { return open("file", O_WRONLY | O_CREAT | O_CLOEXEC, 0600); }

static int make_socket(void) { return mknod("socket", S_IFSOCK | 0600, 0); }

static void a_private_directory_gets_no_device_nodes(void) {
  const char *const writable[] = {root, NULL};
  struct vt_landlock_options options = {.abi = vt_landlock_abi(), .writable = writable};
  CHECK(chdir(root) == 0, "%s", strerror(errno));
  int character = held(&options, make_character_device), block = held(&options, make_block_device);
  CHECK(character == EACCES, "a character device: %d", character);
  CHECK(block == EACCES, "a block device: %d", block);
  CHECK(held(&options, make_fifo) == 0 && held(&options, make_file) == 0 && held(&options, make_socket) == 0, "other files");
  for (const char *const *name = (const char *const[]){"fifo", "file", "socket", NULL}; *name; name++) unlink(*name);
}

static void elsewhere_nothing_can_be_made(void) {
  struct vt_landlock_options options = {.abi = vt_landlock_abi()};
  int (*const attempts[])(void) = {make_character_device, make_block_device, make_fifo, make_file, make_socket};
  for (size_t at = 0; at < sizeof attempts / sizeof *attempts; at++) {
    int error = held(&options, attempts[at]);
    CHECK(error == EACCES, "attempt %zu: %d", at, error);
  }
}

static int read_device(void) { return open("/dev/secret", O_RDONLY | O_CLOEXEC); }

static int read_by_link(void) { return open("/link/secret", O_RDONLY | O_CLOEXEC); }

static int read_file(void) { return open("/etc/file", O_RDONLY | O_CLOEXEC); }

static int list_devices(void) { return open("/dev", O_RDONLY | O_DIRECTORY | O_CLOEXEC); }

static bool made(const char *path) {
  int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  return fd >= 0 && close(fd) == 0;
}

/* False: this process cannot have a root directory of its own. */
static bool enter_own_root(void) {
  bool filled = mkdir("dev", 0755) == 0 && mkdir("etc", 0755) == 0 && made("dev/secret") && made("etc/file") &&
                symlink("dev", "link") == 0 && symlink("/dev", "absolute") == 0;
  CHECK(filled, "%s", strerror(errno));
  return chroot(".") == 0 || (unshare(CLONE_NEWUSER) == 0 && chroot(".") == 0);
}

static void a_link_at_the_top_grants_nothing(void) {
  struct vt_landlock_options options = {.abi = vt_landlock_abi()};
  int device = held(&options, read_device), link = held(&options, read_by_link);
  CHECK(device == EACCES && link == EACCES, "/dev/secret: %d, by a link: %d", device, link);
  CHECK(held(&options, read_file) == 0, "/etc/file");
  CHECK(held(&options, list_devices) == 0, "names in /dev");
}

static void take_away(void) {
  for (const char *const *name = (const char *const[]){"dev/secret", "etc/file", "link", "absolute", NULL}; *name; name++)
    unlink(*name);
  rmdir("dev");
  rmdir("etc");
  rmdir(root);
}

/* In a process of its own, which does not come back from its root directory. */
static void in_own_root(void (*test)(void)) {
  int status = 0;
  pid_t pid = fork();
  if (pid == 0) {
    vt_checks = vt_failures = 0;
    if (enter_own_root()) test();
    else fprintf(stderr, "  skipped: no root directory of its own: %s\n", strerror(errno));
    _exit(vt_failures ? 1 : 0);
  }
  waitpid(pid, &status, 0);
  CHECK(status == 0, "in a root directory of its own: status %d", status);
}

int main(void) {
  CHECK(mkdtemp(root) != NULL, "%s", strerror(errno));
  if (vt_landlock_abi() > 0) {
    a_private_directory_gets_no_device_nodes();
    elsewhere_nothing_can_be_made();
    in_own_root(a_link_at_the_top_grants_nothing);
  }
  take_away();
  return finish("the ruleset grants no more than it says");
}
