#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "limits/cgroup.h"
#include "limits/cgroup_files.h"
#include "base/watch_table.h"

static char base[VT_CGROUP_PATH];
static const char *reason_for_none, *reason_for_no_memory;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static bool is_there(const char *directory, const char *name, int mode) {
  char path[VT_CGROUP_LONG];
  return vt_cgroup_path(path, directory, name) && access(path, mode) == 0;
}

static bool has_word(const char *text, const char *word) {
  size_t length = strlen(word);
  for (const char *at = text; (at = strstr(at, word)); at += length)
    if ((at == text || at[-1] == ' ') && (at[length] == 0 || at[length] == ' ' || at[length] == '\n')) return true;
  return false;
}

typedef bool (*try_line)(const char *line, char *path);

/* "0::PATH" in /proc/self/cgroup: our cgroup in the unified hierarchy; "/..": outside our cgroup namespace. */
static bool is_own(const char *line, char *path) {
  return sscanf(line, "0::%4095s", path) == 1 && path[0] == '/' && strncmp(path, "/..", 3) != 0;
}

/* A mount of our namespace's root: fields 4 and 5 are root and mount point, the type follows " - " (proc(5)). */
static bool is_mount(const char *line, char *path) {
  char root[2];
  if (!strstr(line, " - cgroup2 ")) return false;
  return sscanf(line, "%*d %*d %*s %1s %4095s", root, path) == 2 && root[0] == '/' && path[0] == '/';
}

/* With another root it does not tell where our cgroup is. */
static bool is_foreign_mount(const char *line, char *path) {
  (void)path;
  return strstr(line, " - cgroup2 ") != NULL;
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
    if (vt_cgroup_read(leaf, files[at], text, sizeof text) > 0 && strncmp(text, "max", 3) != 0) return true;
  return false;
}

/* Only the root cgroup lacks cgroup.type and may hold processes beside children with controllers (cgroup-v2.rst). */
static bool is_root_of_all(const char *directory) { return !is_there(directory, "cgroup.type", F_OK); }

static const char *enable_memory(const char *directory) {
  char text[1024];
  vt_cgroup_read(directory, "cgroup.controllers", text, sizeof text);
  if (!has_word(text, "memory")) return "no-memory";
  vt_cgroup_read(directory, "cgroup.subtree_control", text, sizeof text);
  if (has_word(text, "memory") || vt_cgroup_write(directory, "cgroup.subtree_control", "+memory") == 0) return NULL;
  return "not-enabled";
}

static bool is_writable(const char *directory) { return access(directory, W_OK) == 0 && is_there(directory, "cgroup.procs", W_OK); }

static const char *use(const char *directory) { return is_writable(directory) ? enable_memory(directory) : "not-writable"; }

/* No memory controller for children of a cgroup with processes ("no internal processes", cgroup-v2.rst). Without controllers they
 * are bound by its limits, counted and killed as a whole; below a threaded cgroup they would be invalid. */
static const char *use_own(const char *directory) {
  char type[32];
  vt_cgroup_read(directory, "cgroup.type", type, sizeof type);
  if (strcmp(type, "domain\n") != 0) return "topmost";
  if (!is_writable(directory)) return "not-writable";
  reason_for_no_memory = "topmost";
  return NULL;
}

/* Whether we may make siblings of `directory`, our own cgroup. */
static bool is_leaf_of_ours(const char *directory, const char *own) {
  char above[VT_CGROUP_PATH];
  strcpy(above, directory);
  *strrchr(above, '/') = 0;
  bool below_top = strrchr(own, '/') == own && !is_root_of_all(above);
  return below_top || is_delegated(above) || (is_in_unit_of_user(own) && !is_limited(directory));
}

/* Siblings of our cgroup if it is a leaf of a delegated subtree, children if it is the subtree's top. */
static const char *choose(char *directory, const char *mount, const char *own) {
  bool topmost = strcmp(own, "/") == 0;
  if (snprintf(directory, VT_CGROUP_PATH, "%s%s", mount, topmost ? "" : own) >= VT_CGROUP_PATH) return "unmounted";
  if (topmost) return is_root_of_all(directory) ? use(directory) : use_own(directory);
  if (!is_leaf_of_ours(directory, own)) return is_delegated(directory) ? use_own(directory) : "not-delegated";
  *strrchr(directory, '/') = 0;
  return use(directory);
}

static void remove_left(const char *directory) {
  DIR *listing = opendir(directory);
  if (!listing) return;
  for (const struct dirent *entry; (entry = readdir(listing));) {
    int host;
    if (sscanf(entry->d_name, VT_CGROUP_PREFIX "%d-", &host) != 1 || host <= 0) continue;
    if (kill(host, 0) == 0 || errno != ESRCH) continue;
    unlinkat(dirfd(listing), entry->d_name, AT_REMOVEDIR);
  }
  closedir(listing);
}

static void look(void) {
  static const char mounts[] = "/proc/self/mountinfo";
  char mount[VT_CGROUP_PATH], own[VT_CGROUP_PATH], directory[VT_CGROUP_PATH];
  if (find("/proc/self/cgroup", is_own, own) && find(mounts, is_mount, mount)) reason_for_none = choose(directory, mount, own);
  else reason_for_none = find(mounts, is_foreign_mount, mount) ? "foreign" : "unmounted";
  if (reason_for_none) return;
  remove_left(directory);
  memcpy(base, directory, sizeof base);
}

const char *vt_cgroup_base(const char **reason) {
  pthread_once(&once, look);
  if (reason) *reason = reason_for_none ? reason_for_none : reason_for_no_memory;
  return reason_for_none ? NULL : base;
}

bool vt_cgroup_holds_memory(void) { return vt_cgroup_base(NULL) && !reason_for_no_memory; }

