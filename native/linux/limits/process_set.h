/* Who belongs to a command, for the watch over its limits: one look through /proc. One thread for each. */
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
  const char *cookie;       /* empty: nobody can leave the session */
  uint64_t enough;          /* so many are not looked beyond: they are over the limit already; 0: all are */
  struct vt_pids found;     /* those of the last look, ended ones that nobody has waited for included */
  struct vt_pids strangers; /* whose environment has been read and does not hold the cookie */
  int64_t strangers_since;  /* monotonic nanoseconds */
  char *text;               /* to read an environment into */
  bool alone;               /* nobody is left but the leader, who has ended */
};

/* `cookie` stays the caller's. */
void vt_process_set_open(struct vt_process_set *members, pid_t session, const char *cookie);

/* Looks for them. False when memory or a descriptor is missing: then the list is that of the last look. */
bool vt_process_set_refresh(struct vt_process_set *members, int64_t now);

/* In place of that: it is proven that the leader has ended and nobody else is left. */
bool vt_process_set_alone(struct vt_process_set *members);

bool vt_pids_has(const struct vt_pids *pids, pid_t pid);
void vt_process_set_free(struct vt_process_set *members);
