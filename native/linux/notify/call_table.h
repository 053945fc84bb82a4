/* What each reported call would change, and where its arguments name it. */
#pragma once

#include <linux/seccomp.h>

#include "notify/denials.h"
#include "confine/syscalls.h"

struct vt_notification;
struct vt_private_file;

/* What the arguments name. */
enum vt_subject { VT_NO_SUBJECT, VT_PATH, VT_TWO_PATHS, VT_DESCRIPTOR, VT_FAMILY, VT_ADDRESS, VT_OPTION, VT_PROCESS };

enum { VT_NO_ARGUMENT = -1 };

struct vt_call {
  enum vt_syscall call;
  enum vt_operation operation;
  enum vt_subject subject;
  int8_t directory;         /* the argument with the directory's descriptor; none: the working directory */
  int8_t argument;          /* the argument with the path, descriptor, address or process */
  int8_t second_directory, second; /* VT_TWO_PATHS */
  int8_t flags;             /* the argument with AT_* flags, never the first; 0: none */
  bool nofollow;            /* a last symbolic link is meant itself */
  /* Where the rules leave the decision to others: sets error and counted. NULL: the rules alone refuse. */
  void (*judge)(struct vt_notification *notification);
  bool quick;               /* its judge needs no look that could block: it judges even where nobody may look */
  /* What the rules refuse is done in the caller's place in its private directory (private_acts.h). NULL: there neither. */
  int (*act)(struct vt_notification *notification, const struct vt_private_file *file);
};

/* The row of a call; the last one, of no call, for what is not in the table. */
const struct vt_call *vt_call_of(int number);

/* What this very call would do: ioctl(2) and its like do several things. */
enum vt_operation vt_call_operation(const struct vt_call *call, const struct seccomp_data *data);

/* Whether a symbolic link at the end of the path is followed. */
bool vt_call_follows(const struct vt_call *call, const struct seccomp_data *data);
