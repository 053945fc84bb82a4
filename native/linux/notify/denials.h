/* The denials of one command: a bounded table of distinct rows with counts, the last row for the rest. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "confine/filter/syscalls.h"

#ifdef __cplusplus
extern "C" {
#endif

enum vt_operation {
  VT_OP_WRITE,
  VT_OP_CREATE,
  VT_OP_DELETE,
  VT_OP_RENAME,
  VT_OP_LINK,
  VT_OP_TRUNCATE,
  VT_OP_METADATA,
  VT_OP_DEVICE,
  VT_OP_LOCK,
  VT_OP_CONNECT,
  VT_OP_SOCKET,
  VT_OP_LISTEN,
  VT_OP_IPC,
  VT_OP_KEY,
  VT_OP_SIGNAL,
  VT_OP_PROCESS,
  VT_OP_NAMESPACE,
  VT_OP_MOUNT,
  VT_OP_SYSTEM,
  VT_OP_OTHER, /* the row for the rest, once the table is full */
};

const char *vt_operation_name(enum vt_operation operation);

enum { VT_PROGRAM_BYTES = 16 /* TASK_COMM_LEN, proc(5) */, VT_DENIALS_MAX = 64 };

struct vt_denial {
  enum vt_operation operation;
  enum vt_syscall call;          /* VT_SYSCALL_COUNT in the row for the rest */
  pid_t pid;                     /* the first process; 0 in the row for the rest */
  char program[VT_PROGRAM_BYTES]; /* "" if it could not be read */
  char *text;                    /* path or address, or NULL */
  bool is_path;
  bool is_protected;             /* the path is protected in workspace mode */
  bool own_sandbox;              /* as in struct vt_notification */
  uint64_t count;
};

struct vt_denials {
  int count;
  struct vt_denial rows[VT_DENIALS_MAX + 1];
};

/* In the row with the same operation, call, program and text, which is copied. */
void vt_denials_count(struct vt_denials *denials, const struct vt_denial *refused);

void vt_denials_free(struct vt_denials *denials);

#ifdef __cplusplus
}
#endif
