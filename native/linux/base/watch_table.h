/* Memory that the host shares with its watcher. */
#pragma once

#include <stdint.h>

enum { VT_WATCH_TABLE_SLOTS = 4096 };

/* One running command. Its leader writes `session` before it can start another process. */
struct vt_watch_slot {
  volatile int32_t session; /* 0: free; -1: taken, no session yet */
  volatile uint32_t cookie; /* unconfined: processes with this cookie belong to it too; 0: none */
  volatile uint32_t cgroup; /* the command's id, if it has a cgroup of its own; 0: none */
};

struct vt_watch_table {
  uint64_t host; /* random: identifies this host in cookies and cgroup names */
  struct vt_watch_slot commands[VT_WATCH_TABLE_SLOTS];
};

/* In an unconfined command's environment: this name, the host as 16 hexadecimal digits, a dash, the command as 8. */
#define VT_COOKIE_NAME "VITRINE_COMMAND="
enum { VT_COOKIE_HOST_DIGITS = 16, VT_COOKIE_COMMAND_DIGITS = 8 };

/* The name of a command's cgroup: this, the host's process id, a dash, host and command as in a cookie. */
#define VT_CGROUP_PREFIX "vitrine-"
