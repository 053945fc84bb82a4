#define _GNU_SOURCE
#include "limits/cgroup.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core.h"
#include "limits/cgroup_files.h"
#include "base/procfs.h"
#include "base/watch_table.h"

enum { TEXT_BYTES = 16 * 1024, LEAST_MEMORY = 1024 * 1024, MOST_BUSY = 64 };

/* The kernel's hard limit: at least 1 MiB, which exec needs. The monitor enforces lower limits. */
static int limit_memory(const char *directory, uint64_t bytes) {
  char text[24];
  snprintf(text, sizeof text, "%llu", (unsigned long long)(bytes > LEAST_MEMORY ? bytes : LEAST_MEMORY));
  if (vt_cgroup_write(directory, "memory.max", text)) return -1;
  /* ENOENT: no memory.swap.max without swap support, no memory.oom.group before Linux 4.19. */
  if (vt_cgroup_write(directory, "memory.swap.max", "0") && errno != ENOENT) return -1;
  return vt_cgroup_write(directory, "memory.oom.group", "1") && errno != ENOENT ? -1 : 0;
}

int vt_cgroup_open_base(void) {
  const char *base = vt_cgroup_base(NULL);
  return base ? open(base, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
}

int vt_cgroup_make(char name[VT_CGROUP_NAME], uint64_t host, uint32_t id, const struct vt_limits *limits) {
  char path[VT_CGROUP_LONG];
  int fd = -1;
  snprintf(name, VT_CGROUP_NAME, VT_CGROUP_PREFIX "%d-%0*" PRIx64 "-%0*" PRIx32, (int)getpid(), VT_COOKIE_HOST_DIGITS, host,
           VT_COOKIE_COMMAND_DIGITS, id);
  if (vt_cgroup_path(path, vt_cgroup_base(NULL), name) && mkdir(path, 0700) == 0 &&
      (!limits->memory_bytes || !vt_cgroup_holds_memory() || limit_memory(path, limits->memory_bytes) == 0))
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
  char path[VT_CGROUP_LONG];
  return !vt_cgroup_path(path, vt_cgroup_base(NULL), name) || rmdir(path) == 0 || errno != EBUSY;
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
  char path[VT_CGROUP_LONG], text[TEXT_BYTES];
  struct vt_cgroup_state state = {0};
  if (!vt_cgroup_path(path, vt_cgroup_base(NULL), name)) return state;
  vt_cgroup_read(path, "memory.events", text, sizeof text);
  state.over_memory = vt_number_after(text, "oom_kill ") > 0;
  vt_cgroup_read(path, "cpu.stat", text, sizeof text);
  state.cpu_microseconds = vt_number_after(text, "usage_usec ");
  size_t length = vt_cgroup_read(path, "cgroup.procs", text, sizeof text);
  for (size_t at = 0; at < length; at++) state.processes += text[at] == '\n';
  return state;
}

void vt_cgroup_kill(const char *name) {
  char path[VT_CGROUP_LONG];
  if (vt_cgroup_path(path, vt_cgroup_base(NULL), name)) vt_cgroup_write(path, "cgroup.kill", "1");
}
