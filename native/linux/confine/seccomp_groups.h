/* The table of seccomp_rules.c, for seccomp_select.c. */
#pragma once

#include "confine/seccomp_rules.h"

/* Marks a reported action: with vt_filter_options.report the call is notified, and the supervisor gives the same answer. In
 * the data bits, of which an errno needs 12 of 16. */
#define VT_TOLD 0x8000u

/* The options with which a group is part of the filter. */
enum when {
  EVER,
  NETWORK_SHUT,
  NETWORK_OPEN,
  OWN_TERMINAL,
  OWN_TERMINAL_NETWORK_OPEN,
  UNIX_OPEN,
  UNIX_OPEN_NETWORK_SHUT,
  UNIX_OPEN_NETWORK_OPEN,
  BINDS_UNJUDGED,
  BINDS_JUDGED_SHUT,
  BINDS_JUDGED_OPEN,
  TRUNCATE_UNSEEN,
  WRITABLE,
  SIGNALS_REFUSED,
  SIGNALS_JUDGED
};

struct vt_group {
  enum when when;
  struct vt_verdict verdict;
  const enum vt_syscall *calls;
  size_t count;
};

extern const struct vt_group vt_groups[];
extern const size_t vt_group_count;
