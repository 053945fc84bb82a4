/* What each notified call would change, and which arguments name its target. */
#pragma once

#include <linux/seccomp.h>

#include "notify/denials.h"
#include "confine/filter/syscalls.h"

struct vt_notification;
struct vt_private_file;

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
  /* Carries the refused call out in the private tmp (private_ops.h). NULL: refused there too. */
  int (*act)(struct vt_notification *notification, const struct vt_private_file *file);
};

const struct vt_call *vt_call_of(int number);

enum vt_operation vt_call_operation(const struct vt_call *call, const struct seccomp_data *data);

bool vt_call_follows(const struct vt_call *call, const struct seccomp_data *data);
