#define _GNU_SOURCE
#include "limits/limits.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/files.h"
#include "base/procfs.h"
#include "base/watched.h"
#include "core.h"

enum { PATH_BYTES = 4096, LONG_PATH = PATH_BYTES + 64, TEXT_BYTES = 16 * 1024, LEAST_MEMORY = 1024 * 1024, MOST_BUSY = 64 };

static bool path_of(char path[LONG_PATH], const char *directory, const char *name) {
  return snprintf(path, LONG_PATH, "%s/%s", directory, name) < LONG_PATH;
}

static int open_in(const char *directory, const char *name, int flags) {
  char path[LONG_PATH];
  return path_of(path, directory, name) ? open(path, flags | O_CLOEXEC) : -1;
}

static size_t read_text(const char *directory, const char *name, char *text, size_t size) {
  int fd = open_in(directory, name, O_RDONLY);
  size_t length = 0;
  for (ssize_t got; fd >= 0 && length < size - 1 && (got = read(fd, text + length, size - 1 - length)) > 0;) length += (size_t)got;
  if (fd >= 0) close(fd);
  text[length] = 0;
  return length;
}

static int write_text(const char *directory, const char *name, const char *text) {
  int fd = open_in(directory, name, O_WRONLY);
  if (fd < 0) return -1;
  ssize_t written = write(fd, text, strlen(text));
  vt_close(fd);
  return written < 0 ? -1 : 0;
}

static char base[PATH_BYTES];
static const char *reason_for_none, *reason_for_no_memory;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static bool is_there(const char *directory, const char *name, int mode) {
  char path[LONG_PATH];
  return path_of(path, directory, name) && access(path, mode) == 0;
}

typedef bool (*try_line)(const char *line, char *path);

/* "0::PATH" in /proc/self/cgroup: our cgroup in the unified hierarchy; "/..": outside our cgroup namespace. */
static bool is_own(const char *line, char *path) {
  return sscanf(line, "0::%4095s", path) == 1 && path[0] == '/' && strncmp(path, "/..", 3) != 0;
}

/* A mount of our namespace's root: fields 4 and 5 are root and mount point, the type follows " - " (proc(5)). With another root it does
 * not tell where our cgroup is. */
static bool is_mount(const char *line, char *path) {
  char root[2];
  if (!strstr(line, " - cgroup2 ")) return false;
  return sscanf(line, "%*d %*d %*s %1s %4095s", root, path) == 2 && root[0] == '/' && path[0] == '/';
}

static bool find(const char *file, try_line fits, char *path) {
  FILE *stream = fopen(file, "re");
  char *line = NULL;
  size_t room = 0;
  bool found = false;
  while (stream && !found && getline(&line, &room, stream) > 0) found = fits(line, path);
  free(line);
  if (stream) fclose(stream);
  return found;
}

/* systemd.resource-control(5), Delegate= */
static bool is_delegated(const char *directory) {
  char value[2] = "";
  return (getxattr(directory, "user.delegate", value, 1) == 1 || getxattr(directory, "trusted.delegate", value, 1) == 1) &&
         value[0] == '1';
}

static bool ends_with(const char *text, size_t length, const char *suffix) {
  size_t ending = strlen(suffix);
  return length > ending && strncmp(text + length - ending, suffix, ending) == 0;
}

static bool is_unit(const char *name, size_t length) {
  return ends_with(name, length, ".service") || ends_with(name, length, ".scope") || ends_with(name, length, ".slice");
}

/* A systemd user manager marks nothing (seen with 252, 257, 262). But a cgroup below a service or scope means that the unit
 * is delegated, except .control, in which systemd runs a unit's control processes (systemd.exec(5)). */
static bool is_in_unit_of_user(const char *own) {
  const char *manager = strstr(own, "/user@"), *name = strrchr(own, '/'), *unit = name;
  while (unit > own && unit[-1] != '/') unit--;
  if (!manager || unit <= manager + 1 || unit == name) return false; /* the manager's own service is not one of its units */
  size_t length = (size_t)(name - unit);
  if (!ends_with(unit, length, ".service") && !ends_with(unit, length, ".scope")) return false;
  return name[1] != '.' && !is_unit(name + 1, strlen(name + 1));
}

/* A sibling of our cgroup would escape the limits set on `leaf`. */
static bool is_limited(const char *leaf) {
  static const char *const files[] = {"memory.max", "memory.high", "memory.swap.max", "pids.max", "cpu.max"};
  char text[64];
  for (size_t at = 0; at < sizeof files / sizeof *files; at++)
    if (read_text(leaf, files[at], text, sizeof text) > 0 && strncmp(text, "max", 3) != 0) return true;
  return false;
}

/* Only the root cgroup lacks cgroup.type and may hold processes beside children with controllers (cgroup-v2.rst). */
static bool is_root_of_all(const char *directory) { return !is_there(directory, "cgroup.type", F_OK); }

/* No other controller's name contains "memory" (cgroup-v2.rst). */
static const char *enable_memory(const char *directory) {
  char text[1024];
  read_text(directory, "cgroup.controllers", text, sizeof text);
  if (!strstr(text, "memory")) return "no-memory";
  read_text(directory, "cgroup.subtree_control", text, sizeof text);
  if (strstr(text, "memory") || write_text(directory, "cgroup.subtree_control", "+memory") == 0) return NULL;
  return "not-enabled";
}

static bool is_writable(const char *directory) { return access(directory, W_OK) == 0 && is_there(directory, "cgroup.procs", W_OK); }

static const char *use(const char *directory) { return is_writable(directory) ? enable_memory(directory) : "not-writable"; }

/* No memory controller for children of a cgroup with processes ("no internal processes", cgroup-v2.rst). Without controllers they
 * are bound by its limits, counted and killed as a whole; below a threaded cgroup they would be invalid. */
static const char *use_own(const char *directory) {
  char type[32];
  read_text(directory, "cgroup.type", type, sizeof type);
  if (strcmp(type, "domain\n") != 0) return "topmost";
  if (!is_writable(directory)) return "not-writable";
  reason_for_no_memory = "topmost";
  return NULL;
}

/* Whether we may make siblings of `directory`, our own cgroup. */
static bool is_leaf_of_ours(const char *directory, const char *own) {
  char above[PATH_BYTES];
  strcpy(above, directory);
  *strrchr(above, '/') = 0;
  bool below_top = strrchr(own, '/') == own && !is_root_of_all(above);
  return below_top || is_delegated(above) || (is_in_unit_of_user(own) && !is_limited(directory));
}

/* Siblings of our cgroup if it is a leaf of a delegated subtree, children if it is the subtree's top. */
static const char *choose(char *directory, const char *mount, const char *own) {
  bool topmost = strcmp(own, "/") == 0;
  if (snprintf(directory, PATH_BYTES, "%s%s", mount, topmost ? "" : own) >= PATH_BYTES) return "unmounted";
  if (topmost) return is_root_of_all(directory) ? use(directory) : use_own(directory);
  if (!is_leaf_of_ours(directory, own)) return is_delegated(directory) ? use_own(directory) : "not-delegated";
  *strrchr(directory, '/') = 0;
  return use(directory);
}

static void look(void) {
  char mount[PATH_BYTES], own[PATH_BYTES], directory[PATH_BYTES];
  bool mounted = find("/proc/self/cgroup", is_own, own) && find("/proc/self/mountinfo", is_mount, mount);
  reason_for_none = mounted ? choose(directory, mount, own) : "unmounted";
  if (!reason_for_none) memcpy(base, directory, sizeof base);
}

const char *vt_cgroup_base(const char **reason) {
  pthread_once(&once, look);
  if (reason) *reason = reason_for_none ? reason_for_none : reason_for_no_memory;
  return reason_for_none ? NULL : base;
}

/* The kernel's hard limit: at least 1 MiB, which exec needs. The monitor enforces lower limits. */
static int limit_memory(const char *directory, uint64_t bytes) {
  char text[24];
  snprintf(text, sizeof text, "%llu", (unsigned long long)(bytes > LEAST_MEMORY ? bytes : LEAST_MEMORY));
  if (write_text(directory, "memory.max", text)) return -1;
  /* ENOENT: no memory.swap.max without swap support, no memory.oom.group before Linux 4.19. */
  if (write_text(directory, "memory.swap.max", "0") && errno != ENOENT) return -1;
  return write_text(directory, "memory.oom.group", "1") && errno != ENOENT ? -1 : 0;
}

int vt_cgroup_open_base(void) {
  const char *base = vt_cgroup_base(NULL);
  return base ? open(base, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
}

int vt_cgroup_make(char name[VT_CGROUP_NAME], uint64_t host, uint32_t id, const struct vt_limits *limits) {
  char path[LONG_PATH];
  int fd = -1;
  snprintf(name, VT_CGROUP_NAME, VT_CGROUP_PREFIX "%d-%0*" PRIx64 "-%0*" PRIx32, (int)getpid(), VT_COOKIE_HOST_DIGITS, host,
           VT_COOKIE_COMMAND_DIGITS, id);
  if (path_of(path, vt_cgroup_base(NULL), name) && mkdir(path, 0700) == 0 &&
      (!limits->memory_bytes || reason_for_no_memory || limit_memory(path, limits->memory_bytes) == 0))
    fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd >= 0) return fd;
  int error = errno;
  rmdir(path);
  name[0] = 0;
  errno = error;
  return -1;
}

int vt_cgroup_open_door(int fd) { return openat(fd, "cgroup.procs", O_WRONLY | O_CLOEXEC); }

int vt_cgroup_join(int door) { return write(door, "0", 1) == 1 ? 0 : -1; }

static bool is_removed(const char *name) {
  char path[LONG_PATH];
  return !path_of(path, vt_cgroup_base(NULL), name) || rmdir(path) == 0 || errno != EBUSY;
}

/* Since Linux 6.11 do_exit (kernel/exit.c) releases the seccomp filter before the cgroup: a process known to be gone may keep it
 * busy. The next removal tries again; the watcher removes what stays. */
void vt_cgroup_remove(const char *name) {
  static char busy[MOST_BUSY][VT_CGROUP_NAME];
  int free_one = -1;
  for (int at = 0; at < MOST_BUSY; at++) {
    if (busy[at][0] && is_removed(busy[at])) busy[at][0] = 0;
    if (!busy[at][0]) free_one = at;
  }
  if (!is_removed(name) && free_one >= 0) memcpy(busy[free_one], name, VT_CGROUP_NAME);
}

struct vt_cgroup_state vt_cgroup_look(const char *name) {
  char path[LONG_PATH], text[TEXT_BYTES];
  struct vt_cgroup_state state = {0};
  if (!path_of(path, vt_cgroup_base(NULL), name)) return state;
  read_text(path, "memory.events", text, sizeof text);
  state.over_memory = vt_number_after(text, "oom_kill ") > 0;
  read_text(path, "cpu.stat", text, sizeof text);
  state.cpu_microseconds = vt_number_after(text, "usage_usec ");
  size_t length = read_text(path, "cgroup.procs", text, sizeof text);
  for (size_t at = 0; at < length; at++) state.processes += text[at] == '\n';
  return state;
}

void vt_cgroup_kill(const char *name) {
  char path[LONG_PATH];
  if (path_of(path, vt_cgroup_base(NULL), name)) write_text(path, "cgroup.kill", "1");
}
