/* One cgroup per command with limits, where we may use a part of the unified hierarchy (cgroups(7)). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct vt_limits;

enum { VT_CGROUP_NAME = 48 };

/* Where cgroups can be made; NULL: nowhere. *reason, for src/messages/limits.ts: why not, or why without memory limits. Found once,
 * by trying; never moves this process. Removes what killed hosts left. */
const char *vt_cgroup_base(const char **reason);

bool vt_cgroup_holds_memory(void);

/* For the watcher; -1: none. */
int vt_cgroup_open_base(void);

/* `host`: of the watcher's table. Returns its directory, or -1 with errno. */
int vt_cgroup_make(char name[VT_CGROUP_NAME], uint64_t host, uint32_t id, const struct vt_limits *limits);

/* For vt_cgroup_join(), where clone3(2) cannot start a process in the cgroup. */
int vt_cgroup_open_door(int fd);

/* The calling process joins. Safe between clone and exec. */
int vt_cgroup_join(int door);

/* Retried later while it is busy. Supervisor thread only. */
void vt_cgroup_remove(const char *name);

struct vt_cgroup_state {
  bool over_memory;         /* the OOM killer has acted in it */
  uint64_t cpu_microseconds; /* of all processes that were ever in it */
  uint64_t processes;
};

struct vt_cgroup_state vt_cgroup_look(const char *name);

/* From Linux 5.14 (cgroup.kill). */
void vt_cgroup_kill(const char *name);
