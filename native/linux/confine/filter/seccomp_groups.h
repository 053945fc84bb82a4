#pragma once

#include "confine/filter/seccomp_rules.h"

/* Marks an action that is reported: with `report` the call is notified, and the notifier answers as the filter would, unless it
 * carries the call out. An errno takes 12 of the 16 data bits; this is the highest. */
#define VT_TOLD 0x8000u

/* What vt_filter_options say, as bits. A rule is part of the filter if every bit of its `when` holds. */
enum {
  EVER = 0,
  NETWORK = 1 << 0,
  NO_NETWORK = 1 << 1,
  UNIX_SOCKETS = 1 << 2,
  TERMINAL = 1 << 3,
  LISTENER = 1 << 4, /* the notifier judges */
  NO_LISTENER = 1 << 5,
  WRITABLE = 1 << 6,         /* the command has a writable directory */
  TRUNCATE_UNSEEN = 1 << 7,  /* the ruleset does not handle truncate(2) */
  SIGNALS_UNSCOPED = 1 << 8, /* nor signals */
  WORKSPACE = 1 << 9,        /* the notifier carries calls out */
  PROXIED = 1 << 10,         /* TCP to the proxy only: the notifier connects */
  OWN_SOCKETS = 1 << 11,     /* sockets among the command's own processes: the notifier binds, listens and connects */
  UNROUTED = 1 << 12,        /* PROXIED or OWN_SOCKETS without NETWORK: no option may turn a socket elsewhere */
  CONNECTS_NOTIFIED = 1 << 13, /* PROXIED or OWN_SOCKETS */
  SESSIONS = 1 << 14,        /* sessions and controlling terminals of the command's own */
};

/* A verdict and the calls that get it. A call is in one group at most; without one it is allowed. */
struct vt_group {
  struct vt_verdict verdict;
  const enum vt_syscall *calls;
  size_t count;
};

extern const struct vt_group vt_groups[];
extern const size_t vt_group_count;
