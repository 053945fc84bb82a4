/* What the watcher and its starter agree on: memory that both see. */
#pragma once

#include <stdint.h>

enum { VT_WATCH_TABLE_SLOTS = 4096 };

/* One command that runs. Its session is written by the command itself before it can start anything. */
struct vt_watch_slot {
  volatile int32_t session; /* 0: free; -1: taken */
  volatile uint32_t cookie; /* unconfined: it also has whoever carries this, 0: nobody */
  volatile uint32_t cgroup; /* the command, where it has a cgroup of its own; 0: none */
};

struct vt_watch_table {
  uint64_t host; /* random: which host's cookies and cgroups these are */
  struct vt_watch_slot commands[VT_WATCH_TABLE_SLOTS];
};

/* In the environment of an unconfined command: the name, the host as 16 digits, a dash, the command as 8 (all hexadecimal). */
#define VT_COOKIE_NAME "VITRINE_COMMAND="
enum { VT_COOKIE_HOST_DIGITS = 16, VT_COOKIE_COMMAND_DIGITS = 8 };

/* A command's cgroup is called so: this, the host's process id, a dash, host and command as in a cookie. */
#define VT_CGROUP_PREFIX "vitrine-"
