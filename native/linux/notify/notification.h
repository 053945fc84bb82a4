/* One notified call, from its receipt to the reply: which it is, who calls, and the outcome. */
#pragma once

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <stdint.h>

#include "confine/filter/syscalls.h"
#include "notify/caller/caller.h"
#include "notify/listener.h"

struct vt_notification;
struct vt_private_file;

/* What a notified call would change, and which arguments name its target (call_table.c). */
enum vt_subject { VT_NO_SUBJECT, VT_PATH, VT_TWO_PATHS, VT_DESCRIPTOR, VT_FAMILY, VT_ADDRESS, VT_OWN_ADDRESS, VT_OPTION, VT_PROCESS };

enum { VT_NO_ARGUMENT = -1 };

typedef void (*vt_judge)(struct vt_notification *notification);

struct vt_call {
  enum vt_syscall call;
  enum vt_operation operation;
  enum vt_subject subject;
  int8_t directory;         /* index of the directory descriptor; VT_NO_ARGUMENT: the working directory */
  int8_t argument;
  int8_t second_directory, second;
  int8_t flags;             /* index of the AT_* flags, never the first argument; 0: none */
  bool nofollow;            /* the call acts on a final symbolic link itself */
  /* Decides what the rules leave open: sets error and counted. NULL: nothing. */
  vt_judge judge;
  /* Carries the refused call out in the private tmp (handlers/private_files.c). NULL: refused there too. */
  int (*act)(struct vt_notification *notification, const struct vt_private_file *file);
};

const struct vt_call *vt_call_of(int number);

enum vt_operation vt_call_operation(const struct vt_call *call, const struct seccomp_data *data);

bool vt_call_follows(const struct vt_call *call, const struct seccomp_data *data);

struct vt_notification {
  struct seccomp_notif notif;
  struct vt_listener *listener;
  const int *roots;            /* of the workspace, in this thread's table; NULL: it carries nothing out (notifiers.c) */
  struct vt_sockets *sockets;  /* of this thread (sockets/sockets.h); NULL: it carries no calls of sockets out */
  struct vt_known *known_directories; /* of this thread (caller/place.h); NULL: none */
  struct vt_waiter **waiting;  /* of this thread */
  bool apart;                  /* this thread has a descriptor table of its own: closing a file drops no lock of the host's */
  const struct vt_call *call;
  uint32_t rule;               /* SECCOMP_RET_* of the rules */
  struct vt_caller caller;

  /* outcome */
  enum vt_operation operation;
  int error;                   /* 0: the call goes on, and the kernel decides */
  bool done;                   /* carried out: returns `value` */
  int value;
  int send_fd;                 /* -1, or a descriptor that the caller gets; closed with the reply */
  uint32_t send_flags;         /* O_CLOEXEC */
  bool deferred;               /* answered later (handlers/waiting.c) */
  bool counted;                /* the denial is reported */
  bool is_path;
  bool approved;               /* by the owner: changes of this protected path */
  bool is_protected;           /* workspace mode */
  bool own_sandbox;            /* it would be carried out, had the caller no sandbox of its own */

  bool given_known;
  char given[PATH_MAX];        /* the path as given; of the texts only the first byte is cleared */
  char text[PATH_MAX];         /* path or address, "": none */
};

static inline uint64_t vt_argument(const struct vt_notification *notification, int index) {
  return notification->notif.data.args[index];
}

/* The descriptor that a path is relative to. */
static inline int vt_directory(const struct vt_notification *notification, int index) {
  return index == VT_NO_ARGUMENT ? AT_FDCWD : (int)vt_argument(notification, index);
}

/* open(2), openat(2) or creat(2). */
static inline bool vt_opens(const struct vt_notification *notification) {
  return notification->call->operation == VT_OP_WRITE && notification->call->subject == VT_PATH;
}

/* The flags and the mode of what it opens or makes. */
uint32_t vt_open_flags(const struct vt_notification *notification);
mode_t vt_mode(const struct vt_notification *notification);

/* Whether it may make a piece of a repository (handlers/notice.c): an executable file, or any name. */
bool vt_makes_program(const struct vt_notification *notification);
bool vt_makes_name(const struct vt_notification *notification);

/* Such a call must never continue: nothing else would stop it. */
static inline bool vt_is_refused_by_rule(const struct vt_notification *notification) {
  return (notification->rule & SECCOMP_RET_ACTION_FULL) == SECCOMP_RET_ERRNO;
}

/* If not, its pid may belong to another process (seccomp_unotify(2)). */
static inline bool vt_caller_still_waits(const struct vt_notification *notification) {
  return vt_call_still_waits(notification->listener->fd, notification->notif.id);
}

/* Carried out, with this outcome. */
static inline void vt_answer(struct vt_notification *notification, int error) {
  notification->error = error;
  notification->done = error == 0;
}

/* A descriptor of ours, or what errno says (-1). `flags`: O_CLOEXEC counts. */
static inline void vt_answer_with_descriptor(struct vt_notification *notification, int fd, uint32_t flags) {
  notification->send_fd = fd;
  notification->send_flags = flags & O_CLOEXEC;
  vt_answer(notification, fd < 0 ? errno : 0);
}

/* Nothing is carried out for a caller with a sandbox of its own (caller/caller.h), and the report says why. */
static inline bool vt_is_for_own_sandbox(struct vt_notification *notification) {
  return notification->own_sandbox = vt_has_own_sandbox(notification);
}
