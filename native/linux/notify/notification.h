/* One intercepted call, from the notification to the answer. */
#pragma once

#include <limits.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <stdint.h>

#include "notify/call_table.h"
#include "notify/caller.h"
#include "notify/denials.h"
#include "notify/listener.h"

struct vt_notification {
  struct seccomp_notif notif;
  const struct vt_listener *listener;
  const struct vt_call *call;
  uint32_t rule;               /* SECCOMP_RET_* of the rules: an errno, or what somebody has to judge */
  struct vt_caller caller;
  struct vt_known_callers callers; /* from one notification to the next: whoever inquires has it to itself */

  /* the path as given, once `given_known` (atomic: the watchdog reads it behind our back) */
  bool given_known;
  char given[PATH_MAX];

  bool takes; /* atomic: a thread of its own is at the caller's descriptor (take.c), where no file system can block it */

  /* what came out */
  enum vt_operation operation;
  int error;                   /* 0: the call goes on, and the kernel decides */
  bool done;                   /* it was made in the caller's place: it does not go on, and returns 0 */
  bool waits;                  /* for a lock that somebody else has; the error is for where it cannot */
  bool counted;                /* the refusal is reported */
  bool limits_files;           /* the command forbids itself files of a size (RLIMIT_FSIZE) */
  bool asks_too_much;          /* it asks for a file that is larger than any may be */
  bool has_text, is_path;
  char text[PATH_MAX];         /* path or address */
};

/* Whether the rules themselves refuse: then the call never goes on, for nothing else would hold it. */
static inline bool vt_is_refused_by_rule(const struct vt_notification *notification) {
  return (notification->rule & SECCOMP_RET_ACTION_FULL) == SECCOMP_RET_ERRNO;
}
