#define _GNU_SOURCE
#include "confine/ruleset.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files.h"
#include "confine/places/places.h"
#include "workspace/workspace.h"

/* linux/landlock.h: LANDLOCK_ACCESS_FS_*. */
#define FS_EXECUTE (1ULL << 0)
#define FS_WRITE_FILE (1ULL << 1)
#define FS_READ_FILE (1ULL << 2)
#define FS_READ_DIR (1ULL << 3)
#define FS_MAKE_CHAR (1ULL << 6)
#define FS_MAKE_SOCK (1ULL << 9)
#define FS_MAKE_BLOCK (1ULL << 11)
#define FS_ABI1_ALL ((1ULL << 13) - 1)
#define FS_REFER (1ULL << 13)
#define FS_TRUNCATE (1ULL << 14)
#define FS_IOCTL_DEV (1ULL << 15)
#define FS_RESOLVE_UNIX (1ULL << 16)

/* linux/landlock.h: LANDLOCK_ACCESS_NET_*, LANDLOCK_SCOPE_*. */
#define NET_BIND_TCP (1ULL << 0)
#define NET_CONNECT_TCP (1ULL << 1)
#define NET_BIND_UDP (1ULL << 2)
#define NET_CONNECT_SEND_UDP (1ULL << 3)
#define SCOPE_ABSTRACT_UNIX_SOCKET (1ULL << 0)
#define SCOPE_SIGNAL (1ULL << 1)

struct ruleset_attr {
  uint64_t handled_access_fs, handled_access_net, scoped;
};

/* What each ABI adds, and its struct size, by which the kernel accepts older callers. */
static const struct abi_version {
  int abi;
  uint64_t fs, net, scoped;
  size_t size;
} abi_versions[] = {
    {1, FS_ABI1_ALL, 0, 0, 8},
    {2, FS_REFER, 0, 0, 8},
    {3, FS_TRUNCATE, 0, 0, 8},
    {4, 0, NET_BIND_TCP | NET_CONNECT_TCP, 0, 16},
    {5, FS_IOCTL_DEV, 0, 0, 16},
    {6, 0, 0, SCOPE_ABSTRACT_UNIX_SOCKET | SCOPE_SIGNAL, 24},
    {9, FS_RESOLVE_UNIX, 0, 0, 24},
    {10, 0, NET_BIND_UDP | NET_CONNECT_SEND_UDP, 0, 24},
};

/* Whatever no rule grants is refused. */
static struct ruleset_attr handled_by(int abi, size_t *size) {
  struct ruleset_attr attr = {0, 0, 0};
  for (size_t i = 0; i < sizeof abi_versions / sizeof *abi_versions; i++) {
    const struct abi_version *version = &abi_versions[i];
    if (version->abi > abi) break;
    attr.handled_access_fs |= version->fs;
    attr.handled_access_net |= version->net;
    attr.scoped |= version->scoped;
    *size = version->size;
  }
  return attr;
}

#define FS_READING (FS_EXECUTE | FS_READ_FILE)

static int grant(int ruleset, const char *path, uint64_t access) {
  int fd = open(path, O_PATH | O_CLOEXEC);
  if (fd < 0) return -1;
  struct stat status;
  int failed = fstat(fd, &status);
  /* Directory rights on a file are EINVAL (landlock_add_rule(2)). */
  if (!failed && !S_ISDIR(status.st_mode)) access &= ~(FS_READ_DIR | FS_REFER);
  if (!failed) failed = vt_landlock_grant_at(ruleset, fd, access);
  vt_close(fd);
  return failed ? -1 : 0;
}

/* A missing path needs no grant; one that cannot be opened stays refused. */
static int grant_if_there(int ruleset, const char *path, uint64_t access) {
  if (grant(ruleset, path, access) == 0) return 0;
  return errno == ENOENT || errno == ENOTDIR || errno == EACCES ? 0 : -1;
}

/* Grants reading each top-level directory but /dev, which has other users' terminals and disks. */
static int grant_top_level(int ruleset) {
  DIR *root = opendir("/");
  if (!root) return -1;
  int failed = 0;
  for (struct dirent *entry; !failed && (entry = readdir(root));) {
    char path[2 + sizeof entry->d_name];
    if (vt_is_dots(entry->d_name) || !strcmp(entry->d_name, "dev")) continue;
    snprintf(path, sizeof path, "/%s", entry->d_name);
    struct stat link;
    /* A followed link (/bin -> usr/bin) would grant its target twice; one into /dev would grant that. */
    if (lstat(path, &link) == 0 && S_ISLNK(link.st_mode)) continue;
    failed = grant_if_there(ruleset, path, FS_EXECUTE | FS_READ_FILE | FS_READ_DIR);
  }
  vt_close_directory(root);
  return failed;
}

const struct vt_harmless_device vt_harmless_devices[] = {
    {"/dev/null", 1, 3}, {"/dev/tty", VT_TERMINAL_MAJOR, 0}, {"/dev/zero", 1, 5}, {"/dev/full", 1, 7}};

/* Devices that ordinary programs open. Not /dev/shm: through a file mapped there, futex(2) takes other processes' wake-ups.
 * /dev/tty for reading only: a terminal opened at another mount of /dev may become the session's (open(2), O_NOCTTY). Where it is
 * the command's own, the notifier opens it for writing (notify/world/own_paths.c). */
static int grant_devices(int ruleset, uint64_t handled, bool sessions) {
  uint64_t of_terminal = sessions ? FS_READ_FILE | FS_IOCTL_DEV : FS_READ_FILE;
  for (int i = 0; i < VT_HARMLESS_DEVICES; i++) {
    bool is_terminal = vt_harmless_devices[i].major == VT_TERMINAL_MAJOR;
    uint64_t access = is_terminal ? of_terminal : FS_READ_FILE | FS_WRITE_FILE;
    if (grant_if_there(ruleset, vt_harmless_devices[i].path, access & handled)) return -1;
  }
  return grant_if_there(ruleset, "/dev/random", FS_READ_FILE) || grant_if_there(ruleset, "/dev/urandom", FS_READ_FILE) ? -1 : 0;
}

/* By its node and as /dev/tty, which leads only there where the session cannot get another terminal (seccomp_rules.c). */
static int grant_terminal(int ruleset, int terminal, uint64_t handled, bool sessions) {
  if (terminal <= 0) return 0;
  uint64_t access = handled & (FS_READ_FILE | FS_WRITE_FILE | FS_IOCTL_DEV);
  if (vt_landlock_grant_at(ruleset, terminal, access)) return -1;
  return sessions ? 0 : grant_if_there(ruleset, "/dev/tty", access);
}

/* Never granted in a private directory: device nodes, device ioctls, other processes' sockets. */
#define UNWRITTEN (FS_MAKE_CHAR | FS_MAKE_BLOCK | FS_IOCTL_DEV | FS_RESOLVE_UNIX)

static int grant_writable(int ruleset, const char *const *path, uint64_t handled) {
  for (; path && *path; path++)
    if (grant(ruleset, *path, handled & ~UNWRITTEN)) return -1;
  return 0;
}

int vt_landlock_grant_private(int ruleset, int fd, int abi, bool reading) {
  size_t size = 0;
  uint64_t moving = abi >= 2 ? FS_REFER : 0;
  uint64_t handled = reading ? FS_READING | FS_READ_DIR | moving : handled_by(abi, &size).handled_access_fs;
  return vt_landlock_grant_at(ruleset, fd, handled & ~UNWRITTEN);
}

/* Grants changes in a workspace. A cut directory itself gets no right to make or remove entries; the notifier does that
 * (workspace.h), as it binds sockets (sockets/own_unix.c). */
static int grant_workspace(int ruleset, struct vt_workspace *workspace, uint64_t handled) {
  if (!workspace) return 0;
  handled &= ~(UNWRITTEN | FS_MAKE_SOCK);
  struct vt_places_access access = {
      .directory = handled,
      .file = handled & (FS_EXECUTE | FS_READ_FILE | FS_WRITE_FILE | FS_TRUNCATE),
      .pinned = FS_READ_FILE, /* which the top-level directories grant anyway */
      .skips_devices = true,
      .granted = &workspace->granted,
  };
  clock_gettime(CLOCK_REALTIME_COARSE, &workspace->granted_at); /* the clock of inodes' times */
  return vt_places_grant(workspace->places, &access, ruleset);
}

/* A tenth of a search through many files: the kernel walks up from a file to the first rule that grants the whole access. Grants nothing beyond the
 * top-level directories: never beneath /dev. */
static int grant_near(int ruleset, const char *near) {
  char path[PATH_MAX];
  int fd = near ? open(near, O_PATH | O_DIRECTORY | O_CLOEXEC) : -1;
  if (fd < 0) return 0;
  int failed = vt_path_of(fd, path, sizeof path);
  close(fd);
  if (failed || !strcmp(path, "/") || !strcmp(path, "/dev") || !strncmp(path, "/dev/", 5)) return 0;
  return grant_if_there(ruleset, path, FS_EXECUTE | FS_READ_FILE | FS_READ_DIR);
}

/* False below ABI 3, or if nothing is writable: the filter then refuses truncate(2); other ways to truncate need write access. */
static bool handles_truncate(const struct vt_landlock_options *options) {
  return options->abi >= 3 && (options->workspace || (options->writable && *options->writable));
}

static int finished(int ruleset, int failed) {
  if (!failed) return ruleset;
  vt_close(ruleset);
  return -1;
}

int vt_landlock_build(const struct vt_landlock_options *options) {
  size_t size = 0;
  struct ruleset_attr attr = handled_by(options->abi, &size);
  uint64_t *handled = &attr.handled_access_fs;
  /* An unhandled right is unrestricted: with `network` clients may connect, and seccomp refuses the rest. */
  if (options->network) attr.handled_access_net &= NET_BIND_TCP;
  /* If handled, every open asks for truncating too, and walks up to the root for a rule that grants it. */
  if (!handles_truncate(options)) *handled &= ~FS_TRUNCATE;
  int ruleset = (int)syscall(NR_LANDLOCK_CREATE_RULESET, &attr, size, 0);
  if (ruleset < 0) return -1;
  /* Names can be listed everywhere, content read only beneath the following grants. */
  return finished(ruleset, grant(ruleset, "/", FS_READ_DIR) || grant_top_level(ruleset) ||
                               grant_devices(ruleset, *handled, options->sessions) || grant_near(ruleset, options->near) ||
                               grant_writable(ruleset, options->writable, *handled) ||
                               grant_workspace(ruleset, options->workspace, *handled) ||
                               grant_terminal(ruleset, options->terminal, *handled, options->sessions));
}

static int grant_reads(struct vt_places *reads, int ruleset) {
  static const struct vt_places_access access = {.directory = FS_READING | FS_READ_DIR, .file = FS_READING, .listing = FS_READ_DIR};
  return vt_places_grant(reads, &access, ruleset);
}

int vt_landlock_build_reads(int abi, struct vt_places *reads, const char *const *writable, int terminal) {
  /* REFER is the only right that a ruleset refuses even if it does not handle it (landlock(7)). */
  uint64_t moving = abi >= 2 ? FS_REFER : 0;
  struct ruleset_attr attr = {FS_READING | FS_READ_DIR | moving, 0, 0};
  int ruleset = (int)syscall(NR_LANDLOCK_CREATE_RULESET, &attr, abi_versions[0].size, 0);
  if (ruleset < 0) return -1;
  return finished(ruleset, (moving && grant(ruleset, "/", moving)) || grant_reads(reads, ruleset) ||
                               grant_devices(ruleset, attr.handled_access_fs, false) ||
                               grant_writable(ruleset, writable, attr.handled_access_fs) ||
                               grant_terminal(ruleset, terminal, attr.handled_access_fs, false));
}
