/* The processes of a command, found by a scan of /proc, for the monitor. Each set is used by one thread. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct vt_pids {
  pid_t *at; /* ascending */
  int count, room;
};

struct vt_process_set {
  pid_t session;
  const char *cookie;       /* empty: its processes cannot leave the session */
  uint64_t enough;          /* the scan stops after more than this many, already over the limit; 0: never */
  struct vt_pids found;     /* members at the last scan, zombies included */
  struct vt_pids strangers; /* processes whose environment lacks the cookie */
  int64_t strangers_since;  /* monotonic nanoseconds */
  char *text;               /* buffer for an environment */
  bool alone;               /* only the ended leader is left */
};

/* Does not copy `cookie`. */
void vt_process_set_open(struct vt_process_set *members, pid_t session, const char *cookie);

/* Scans /proc. False if memory or a descriptor is missing: the previous list stays. */
bool vt_process_set_refresh(struct vt_process_set *members, int64_t now);

/* Instead of a scan: the leader is known to have ended, and no other process to be left. */
bool vt_process_set_alone(struct vt_process_set *members);

bool vt_pids_has(const struct vt_pids *pids, pid_t pid);
void vt_process_set_free(struct vt_process_set *members);
