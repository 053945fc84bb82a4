/* Limits of a command with all that it starts: measured, and held by a cgroup where one is delegated. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct vt_command;
struct vt_limits;
struct vt_meter;

/* cgroup.c: one cgroup per command with limits, where we may use a part of the unified hierarchy (cgroups(7)). */

enum { VT_CGROUP_NAME = 48 };

/* Where cgroups can be made; NULL: nowhere. *reason, for src/messages/limits.ts: why not, or why without memory limits. Found once,
 * by trying; never moves this process. */
const char *vt_cgroup_base(const char **reason);

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

/* monitor.c: measures what commands use, the more often the closer a limit is, in at most 5 % of a processor per thread. */

/* Two kinds, with one thread each: /proc is quick to read, a directory may be slow. */
enum { VT_MONITOR_PROC, VT_MONITOR_DISK, VT_MONITORS };

/* 0, or -1 with errno: may be tried again. */
int vt_monitor_ready(const struct vt_limits *limits);

/* NULL: no limit of this kind. */
struct vt_meter *vt_meter_open(const struct vt_command *command, int kind);

/* The limit, by its name in a result; NULL: none yet. Exceeding one wakes the supervisor. */
const char *vt_meter_exceeded(const struct vt_meter *meter);

/* After the leader has ended: asks for a last measurement, where there is one to take; true once taken. `alone`: no other process is left. */
bool vt_meter_settle(struct vt_meter *meter, bool alone);

void vt_meter_close(struct vt_meter *meter);

/* usage.c and files.c: what a command uses: its processes, their memory and processor time, and the files of its private directories.
 * All counts are lower bounds. */

struct vt_pids {
  pid_t *at; /* ascending */
  int count, room;
};

struct vt_process_set {
  pid_t session;
  uint64_t mark;            /* by which they are known instead (base/watched.h); 0: none */
  const char *cookie;       /* empty: they cannot leave the session, or have a mark */
  uint64_t enough;          /* the scan stops beyond this many; 0: never */
  struct vt_pids found;     /* members at the last scan, zombies included */
  struct vt_pids strangers; /* processes whose environment lacks the cookie */
  int64_t strangers_since;  /* monotonic nanoseconds */
  char *text;
};

/* Does not copy `cookie`. */
void vt_process_set_open(struct vt_process_set *members, pid_t session, const char *cookie);

/* False: no memory or descriptor; the previous list stays. */
bool vt_process_set_refresh(struct vt_process_set *members, int64_t now);

bool vt_pids_has(const struct vt_pids *pids, pid_t pid);
void vt_process_set_free(struct vt_process_set *members);

/* Anonymous, swapped and shared memory, no page cache; of shared memory and memfds the larger: mapped memfds are in both. Shared
 * pages count several times, but proportionally once that exceeds `limit`. */
uint64_t vt_usage_memory(const struct vt_process_set *members, uint64_t limit);

/* Ticks of sysconf(_SC_CLK_TCK). */
struct vt_seen {
  pid_t pid;
  uint64_t start; /* tells it from a later one with this pid */
  uint64_t own, waited; /* waited: its children's */
};

struct vt_cpu {
  struct vt_seen *seen;
  int count;
  uint64_t lost;      /* of ended processes that no member waited for */
  uint64_t lost_last;
};

/* Ticks of living and ended members. Misses a process that lived between two calls and was not waited for. */
uint64_t vt_usage_cpu(struct vt_cpu *cpu, const struct vt_process_set *members);

/* Bytes beneath the directories, with deleted files that a member has open. Stops once over `limit`. */
uint64_t vt_usage_of_disk(const char *const *directories, const struct vt_process_set *members, uint64_t limit);

bool vt_usage_has_no_files(const char *const *directories);

/* Bytes of unlinked files, deleted ones and memfds (memfd_create(2)), that members have open and whose link in /proc/PID/fd begins
 * with a prefix; each counts once. Stops once over `limit`. */
uint64_t vt_usage_of_unlinked(const char *const *prefixes, const struct vt_process_set *members, uint64_t limit);
