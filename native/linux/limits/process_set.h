/* The processes of a command, found in /proc. One thread per set. */
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
  uint64_t mark;            /* by which they are known instead (mark.h); 0: none */
  const char *cookie;       /* empty: they cannot leave the session, or have a mark */
  uint64_t enough;          /* the scan stops beyond this many; 0: never */
  struct vt_pids found;     /* members at the last scan, zombies included */
  struct vt_pids strangers; /* processes whose environment lacks the cookie */
  int64_t strangers_since;  /* monotonic nanoseconds */
  char *text;
  bool alone;               /* only the ended leader is left */
};

/* Does not copy `cookie`. */
void vt_process_set_open(struct vt_process_set *members, pid_t session, const char *cookie);

/* False: no memory or descriptor; the previous list stays. */
bool vt_process_set_refresh(struct vt_process_set *members, int64_t now);

void vt_process_set_alone(struct vt_process_set *members);

bool vt_pids_has(const struct vt_pids *pids, pid_t pid);
void vt_process_set_free(struct vt_process_set *members);
