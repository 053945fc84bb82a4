/* One cgroup per command with limits, where we may use a part of the unified hierarchy (cgroups(7)). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct vt_limits;

enum { VT_CGROUP_NAME = 48 };

/* The directory in which cgroups can be made, found once by trying; NULL: none. *reason, for src/messages/limits.ts: why there is
 * none, or why its cgroups cannot limit memory; NULL if they can. Never moves this process. Removes what killed hosts left. */
const char *vt_cgroup_base(const char **reason);

/* Whether those cgroups can limit memory. */
bool vt_cgroup_holds_memory(void);

/* Opens that directory, for the watcher; -1: none. */
int vt_cgroup_open_base(void);

/* Makes a command's cgroup and writes its name, which holds `host` of the watcher's table; returns a descriptor of the directory,
 * or -1 with errno. */
int vt_cgroup_make(char name[VT_CGROUP_NAME], uint64_t host, uint32_t id, const struct vt_limits *limits);

/* Opens cgroup.procs for vt_cgroup_join, where clone cannot start a process in the cgroup (clone.h); -1 with errno. */
int vt_cgroup_open_door(int fd);

/* Moves the calling process into the cgroup, between clone and exec. */
int vt_cgroup_join(int door);

/* Removes an empty cgroup; one that is still busy is retried later. Supervisor thread only. */
void vt_cgroup_remove(const char *name);

/* The kernel's counters of a cgroup. Any thread. */
struct vt_cgroup_state {
  bool over_memory;         /* the OOM killer has killed a process of it */
  uint64_t cpu_microseconds; /* of all processes that were ever in it */
  uint64_t processes;
};

struct vt_cgroup_state vt_cgroup_look(const char *name);

/* Kills all processes in it (cgroup.kill, Linux 5.14; without effect before). */
void vt_cgroup_kill(const char *name);
