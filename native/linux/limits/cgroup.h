/* A cgroup of its own for each command with limits, where a part of the unified hierarchy is ours to use (cgroups(7)). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct vt_limits;

enum { VT_CGROUP_NAME = 48 };

/* Beneath which directory cgroups can be made, found out by trying, once; NULL when there is none. *reason, for
 * src/messages/limits.ts, says why there is none, or why those cannot limit memory; NULL: they can. The process itself is never
 * moved. What hosts that were killed have left there is removed. */
const char *vt_cgroup_base(const char **reason);

/* Whether a limit of memory can be set in those cgroups. */
bool vt_cgroup_holds_memory(void);

/* That directory, for the watcher; -1 when there is none. */
int vt_cgroup_open_base(void);

/* Makes one for a command and writes its name, in which `host` is that of the watcher's table; returns a descriptor of its
 * directory, or -1 with errno. */
int vt_cgroup_make(char name[VT_CGROUP_NAME], uint64_t host, uint32_t id, const struct vt_limits *limits);

/* Where a command cannot be started in it (clone.h): a descriptor that a process joins it by, or -1 with errno. */
int vt_cgroup_open_door(int fd);

/* The calling process joins. Between clone and exec. */
int vt_cgroup_join(int door);

/* Once nobody is left in it, or as soon as that is so. Supervisor thread only. */
void vt_cgroup_remove(const char *name);

/* What the kernel tells of it. Any thread. */
struct vt_cgroup_state {
  bool over_memory;         /* somebody was killed for the memory limit */
  uint64_t cpu_microseconds; /* of all who were ever in it */
  uint64_t processes;
};

struct vt_cgroup_state vt_cgroup_look(const char *name);

/* Kills everybody in it, where the kernel can (5.14). */
void vt_cgroup_kill(const char *name);
