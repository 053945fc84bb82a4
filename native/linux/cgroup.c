#define _GNU_SOURCE
#include "cgroup.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "../core.h"
#include "watcher.h"

enum { PATH_BYTES = 4096, LONG_BYTES = PATH_BYTES + 64, TEXT_BYTES = 16 * 1024, LEAST_MEMORY = 1024 * 1024, MOST_BUSY = 64 };

static char base[PATH_BYTES];
static const char *reason_for_none;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static bool is_path(char path[LONG_BYTES], const char *directory, const char *name) {
  return snprintf(path, LONG_BYTES, "%s/%s", directory, name) < LONG_BYTES;
}

static int open_in(const char *directory, const char *name, int flags) {
  char path[LONG_BYTES];
  return is_path(path, directory, name) ? open(path, flags | O_CLOEXEC) : -1;
}

/* Reads DIRECTORY/NAME, zero-terminated; returns the length, 0 where there is nothing. */
static size_t read_in(const char *directory, const char *name, char *text, size_t size) {
  int fd = open_in(directory, name, O_RDONLY);
  size_t length = 0;
  for (ssize_t got; fd >= 0 && length < size - 1 && (got = read(fd, text + length, size - 1 - length)) > 0;) length += (size_t)got;
  if (fd >= 0) close(fd);
  text[length] = 0;
  return length;
}

static int write_in(const char *directory, const char *name, const char *text) {
  int fd = open_in(directory, name, O_WRONLY);
  if (fd < 0) return -1;
  ssize_t written = write(fd, text, strlen(text));
  int error = errno;
  close(fd);
  errno = error;
  return written < 0 ? -1 : 0;
}

static bool is_there(const char *directory, const char *name, int mode) {
  char path[LONG_BYTES];
  return is_path(path, directory, name) && access(path, mode) == 0;
}

static bool has_word(const char *text, const char *word) {
  size_t length = strlen(word);
  for (const char *at = text; (at = strstr(at, word)); at += length)
    if ((at == text || at[-1] == ' ') && (at[length] == 0 || at[length] == ' ' || at[length] == '\n')) return true;
  return false;
}

typedef bool (*try_line)(const char *line, char *path);

/* Our own cgroup of the unified hierarchy: the line "0::PATH" of /proc/self/cgroup. */
static bool is_own(const char *line, char *path) { return sscanf(line, "0::%4095s", path) == 1 && path[0] == '/'; }

/* Where the hierarchy is mounted, whole or the part of our namespace: fields 4 and 5, and the type behind " - " (proc(5)). */
static bool is_mount(const char *line, char *path) {
  char root[2];
  if (!strstr(line, " - cgroup2 ")) return false;
  return sscanf(line, "%*d %*d %*s %1s %4095s", root, path) == 2 && root[0] == '/' && path[0] == '/';
}

/* The first line of a file that holds what is looked for. */
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

/* systemd marks what it has handed over (systemd.resource-control(5), Delegate=). */
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

/* A user's own systemd marks nothing (seen with 252, 257, 262). But below a service or a scope nobody makes a cgroup unless that
 * was handed over, systemd neither, but for .control, where it runs what belongs to it (systemd.exec(5)). */
static bool is_in_unit_of_user(const char *own) {
  const char *manager = strstr(own, "/user@"), *name = strrchr(own, '/'), *unit = name;
  while (unit > own && unit[-1] != '/') unit--;
  if (!manager || unit <= manager + 1 || unit == name) return false; /* the manager's own service is no unit of it */
  size_t length = (size_t)(name - unit);
  if (!ends_with(unit, length, ".service") && !ends_with(unit, length, ".scope")) return false;
  return name[1] != '.' && !is_unit(name + 1, strlen(name + 1));
}

/* The root of all has no type (Documentation/admin-guide/cgroup-v2.rst); only it may hold processes beside cgroups. */
static bool is_root_of_all(const char *directory) { return !is_there(directory, "cgroup.type", F_OK); }

static const char *enable_memory(const char *directory) {
  char text[1024];
  read_in(directory, "cgroup.controllers", text, sizeof text);
  if (!has_word(text, "memory")) return "no-memory";
  read_in(directory, "cgroup.subtree_control", text, sizeof text);
  if (has_word(text, "memory") || write_in(directory, "cgroup.subtree_control", "+memory") == 0) return NULL;
  return "not-enabled";
}

/* A process of a delegated part stands in one of its leaves: cgroups with limits stand beside it, within the part. */
static const char *choose(char *directory, const char *mount, char *own) {
  if (strcmp(own, "/") == 0) {
    snprintf(directory, PATH_BYTES, "%s", mount);
    if (!is_root_of_all(directory)) return "topmost";
  } else {
    bool handed_over = is_in_unit_of_user(own);
    *strrchr(own, '/') = 0;
    if (snprintf(directory, PATH_BYTES, "%s%s", mount, own) >= PATH_BYTES) return "unmounted";
    bool top = own[0] == 0 && !is_root_of_all(directory);
    if (!top && !handed_over && !is_delegated(directory)) return "not-delegated";
  }
  if (access(directory, W_OK) || !is_there(directory, "cgroup.procs", W_OK)) return "not-writable";
  return enable_memory(directory);
}

/* Whose host is no more: named after its process. */
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
  char mount[PATH_BYTES], own[PATH_BYTES], directory[PATH_BYTES];
  if (!find("/proc/self/cgroup", is_own, own) || !find("/proc/self/mountinfo", is_mount, mount)) reason_for_none = "unmounted";
  else reason_for_none = choose(directory, mount, own);
  if (reason_for_none) return;
  remove_left(directory);
  memcpy(base, directory, sizeof base);
}

const char *vt_cgroup_base(const char **reason) {
  pthread_once(&once, look);
  if (reason) *reason = reason_for_none;
  return reason_for_none ? NULL : base;
}

/* The kernel's wall. Under a mebibyte not even exec fits; what is less is for the meter to tell. */
static int limit_memory(const char *directory, uint64_t bytes) {
  char text[24];
  snprintf(text, sizeof text, "%llu", (unsigned long long)(bytes > LEAST_MEMORY ? bytes : LEAST_MEMORY));
  if (write_in(directory, "memory.max", text)) return -1;
  /* Older kernels have no such file (4.19), kernels without swap not that one. */
  if (write_in(directory, "memory.swap.max", "0") && errno != ENOENT) return -1;
  return write_in(directory, "memory.oom.group", "1") && errno != ENOENT ? -1 : 0;
}

int vt_cgroup_open_base(void) {
  return vt_cgroup_base(NULL) ? open(base, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
}

int vt_cgroup_make(char name[VT_CGROUP_NAME], uint64_t host, uint32_t id, const struct vt_limits *limits) {
  char path[LONG_BYTES];
  int fd = -1;
  snprintf(name, VT_CGROUP_NAME, VT_CGROUP_PREFIX "%d-%0*" PRIx64 "-%0*" PRIx32, (int)getpid(), VT_COOKIE_HOST_DIGITS, host,
           VT_COOKIE_COMMAND_DIGITS, id);
  if (is_path(path, base, name) && mkdir(path, 0700) == 0 &&
      (!limits->memory_bytes || limit_memory(path, limits->memory_bytes) == 0))
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
  char path[LONG_BYTES];
  return !is_path(path, base, name) || rmdir(path) == 0 || errno != EBUSY;
}

/* Since Linux 6.11 a filter is let go of before the cgroup is (do_exit, kernel/exit.c): whoever is proven to be gone may still
 * be on his way out of it. Another try comes with the next command's, or it is the watcher's. */
void vt_cgroup_remove(const char *name) {
  static char busy[MOST_BUSY][VT_CGROUP_NAME];
  int free_one = -1;
  for (int at = 0; at < MOST_BUSY; at++) {
    if (busy[at][0] && is_removed(busy[at])) busy[at][0] = 0;
    if (!busy[at][0]) free_one = at;
  }
  if (!is_removed(name) && free_one >= 0) memcpy(busy[free_one], name, VT_CGROUP_NAME);
}

static uint64_t number_of(const char *text, const char *key) {
  const char *at = strstr(text, key);
  return at ? strtoull(at + strlen(key), NULL, 10) : 0;
}

struct vt_cgroup_state vt_cgroup_look(const char *name) {
  char path[LONG_BYTES], text[TEXT_BYTES];
  struct vt_cgroup_state state = {0};
  if (!is_path(path, base, name)) return state;
  read_in(path, "memory.events", text, sizeof text);
  state.over_memory = number_of(text, "oom_kill ") > 0;
  read_in(path, "cpu.stat", text, sizeof text);
  state.cpu_microseconds = number_of(text, "usage_usec ");
  size_t length = read_in(path, "cgroup.procs", text, sizeof text);
  for (size_t at = 0; at < length; at++) state.processes += text[at] == '\n';
  return state;
}

void vt_cgroup_kill(const char *name) {
  char path[LONG_BYTES];
  if (is_path(path, base, name)) write_in(path, "cgroup.kill", "1");
}
