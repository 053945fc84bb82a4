/* One notified call, from its receipt to the reply. */
#pragma once

#include <fcntl.h>
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
  struct vt_listener *listener;
  int listener_fd;             /* in the answering thread's descriptor table */
  const int *roots;            /* of the workspace, likewise; NULL: this thread carries nothing out (workspace_server.h) */
  struct vt_sockets *sockets;  /* of this thread (sockets/sockets.h); NULL: it carries no calls of sockets out */
  struct vt_known *known_directories; /* of this thread (caller/place.h); NULL: none */
  const struct vt_call *call;
  uint32_t rule;               /* SECCOMP_RET_* of the rules */
  struct vt_caller caller;
  struct vt_known_caller known; /* kept between notifications */

  bool apart;                  /* this thread has a descriptor table of its own: closing a file drops no lock of the host's */
  bool given_known;            /* the path as given */
  char given[PATH_MAX];

  /* outcome */
  enum vt_operation operation;
  int error;                   /* 0: the call goes on, and the kernel decides */
  bool done;                   /* carried out: returns `value` */
  int value;
  int send_fd;                 /* -1, or a descriptor that the caller gets; closed with the reply */
  uint32_t send_flags;         /* O_CLOEXEC */
  int fifo;                    /* -1, or what the call waits for (handlers/waiting.h); `error` applies if it cannot */
  bool deferred;               /* answered later, by its handler */
  bool counted;                /* the denial is reported */
  bool has_text, is_path;
  bool approved;               /* by the owner: changes of this protected path */
  bool is_protected;           /* workspace mode */
  bool own_sandbox;            /* it would be carried out, had the caller no sandbox of its own */
  char text[PATH_MAX];         /* path or address */
};

static inline uint64_t vt_argument(const struct vt_notification *notification, int index) {
  return notification->notif.data.args[index];
}

/* The descriptor that a path is relative to. */
static inline int vt_directory(const struct vt_notification *notification, int index) {
  return index == VT_NO_ARGUMENT ? AT_FDCWD : (int)vt_argument(notification, index);
}

/* Such a call must never continue: nothing else would stop it. */
static inline bool vt_is_refused_by_rule(const struct vt_notification *notification) {
  return (notification->rule & SECCOMP_RET_ACTION_FULL) == SECCOMP_RET_ERRNO;
}
