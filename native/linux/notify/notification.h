/* One notified call, from its receipt to the reply. */
#pragma once

#include <limits.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <stdint.h>

#include "notify/call_table.h"
#include "notify/caller/caller.h"
#include "notify/denials.h"
#include "notify/listener.h"

struct vt_notification {
  struct seccomp_notif notif;
  const struct vt_listener *listener;
  int listener_fd;             /* in the answering thread's descriptor table */
  const int *roots;            /* of the workspace, likewise; NULL: this thread carries nothing out (workspace_server.h) */
  struct vt_known *known_directories; /* of this thread (workspace/known.h); NULL: none */
  const struct vt_call *call;
  uint32_t rule;               /* SECCOMP_RET_* of the rules: an errno, or left to a handler */
  struct vt_caller caller;
  struct vt_known_caller known; /* kept between notifications; used by one notifier only */

  /* the path as given; valid once `given_known` (atomic: the supervisor reads it concurrently) */
  bool given_known;
  char given[PATH_MAX];

  bool takes; /* atomic: a separate thread borrows the descriptor (caller/borrow_fd.c), where no file system can block it */

  /* outcome */
  enum vt_operation operation;
  int error;                   /* 0: the call goes on, and the kernel decides */
  bool done;                   /* carried out in the caller's place: returns 0 without going on */
  int send_fd;                 /* -1, or a descriptor that the caller gets as its result; closed with the reply */
  uint32_t send_flags;         /* O_CLOEXEC */
  int fifo;                    /* -1, or O_PATH: an open for writing that waits for a reader; `error` applies if it cannot */
  bool waits;                  /* for a lock held elsewhere; `error` applies if it cannot wait */
  bool counted;                /* the denial is reported */
  bool sets_umask;             /* the command's processes may now have different umasks */
  bool limits_files;           /* the command sets its own RLIMIT_FSIZE */
  bool asks_too_much;          /* it asks for a larger file than allowed */
  bool has_text, is_path;
  bool approved;               /* the owner has approved changes of this path, which is itself protected */
  bool is_protected;           /* workspace mode: the path is protected (workspace.h) */
  char text[PATH_MAX];         /* path or address */
};

static inline uint64_t vt_argument(const struct vt_notification *notification, int index) {
  return notification->notif.data.args[index];
}

/* Whether the rules themselves refuse the call: it must never continue, since nothing else would stop it. */
static inline bool vt_is_refused_by_rule(const struct vt_notification *notification) {
  return (notification->rule & SECCOMP_RET_ACTION_FULL) == SECCOMP_RET_ERRNO;
}
