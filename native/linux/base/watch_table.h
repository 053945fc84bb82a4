/* Memory that the host shares with its watcher. */
#pragma once

#include <stdint.h>

enum { VT_WATCH_TABLE_SLOTS = 4096 };

/* One running command. Its leader writes `session` before it can start another process. */
struct vt_watch_slot {
  volatile int32_t session; /* 0: free; -1: taken, no session yet */
  volatile uint32_t cookie; /* 0: none */
  volatile uint32_t cgroup; /* the id of a command with a cgroup; 0: none */
  volatile uint64_t mark;   /* mark.h; 0: none */
};

struct vt_watch_table {
  uint64_t host; /* random; in marks, cookies and names of cgroups */
  struct vt_watch_slot commands[VT_WATCH_TABLE_SLOTS];
};

/* Followed by the host in hexadecimal digits, a dash, the command. */
#define VT_COOKIE_NAME "VITRINE_COMMAND="
enum { VT_COOKIE_HOST_DIGITS = 16, VT_COOKIE_COMMAND_DIGITS = 8 };

/* Followed by the host's process id, a dash, host and command as in a cookie. */
#define VT_CGROUP_PREFIX "vitrine-"
