/* What a command's notifications leave for its result: denials, and notes for the owner. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "confine/filter/syscalls.h"

/* `other`: the row for the rest, once the table is full */
#define VT_OPERATIONS(X) \
  X(WRITE, "write") X(CREATE, "create") X(DELETE, "delete") X(RENAME, "rename") X(LINK, "link") X(TRUNCATE, "truncate") \
  X(METADATA, "metadata") X(DEVICE, "device") X(LOCK, "lock") X(CONNECT, "connect") X(SOCKET, "socket") X(LISTEN, "listen") \
  X(IPC, "ipc") X(KEY, "key") X(SIGNAL, "signal") X(PROCESS, "process") X(NAMESPACE, "namespace") X(MOUNT, "mount") \
  X(SYSTEM, "system") X(OTHER, "other")

#define VT_OPERATION(name, text) VT_OP_##name,
enum vt_operation { VT_OPERATIONS(VT_OPERATION) };
#undef VT_OPERATION

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

/* A bounded table of distinct rows with counts, the last row for the rest. */
struct vt_denials {
  int count;
  struct vt_denial rows[VT_DENIALS_MAX + 1];
};

/* In the row with the same operation, call, program and text, which is copied. */
void vt_denials_count(struct vt_denials *denials, const struct vt_denial *refused);

void vt_denials_free(struct vt_denials *denials);

/* What a command of workspace mode has made or changed that programs outside obey: a bounded list for the owner. */
enum { VT_NOTES_MAX = 256 };

enum vt_note_kind {
  VT_NOTE_REPOSITORY, /* a `.git`, or a directory with `objects` and `refs` */
  VT_NOTE_NAME,       /* a path that leads through a noted name */
  VT_NOTE_MOVED,      /* a directory that came from another root, whose contents were not followed there */
};

struct vt_note {
  enum vt_note_kind kind;
  char *path;
  char *before; /* what the file held; NULL: nothing, or it is not one to compare */
  size_t before_length;
};

struct vt_notes {
  bool unseen; /* there is more than this: the list was full, or a call made a name that was not proven */
  int count;
  struct vt_note rows[VT_NOTES_MAX];
};

bool vt_notes_have(const struct vt_notes *notes, enum vt_note_kind kind, const char *path);

/* Takes over `before` (from malloc). Without effect for what is listed already. */
void vt_notes_add(struct vt_notes *notes, enum vt_note_kind kind, const char *path, char *before, size_t before_length);

/* A directory has moved: what is listed beneath it is listed at its new place, too. */
void vt_notes_follow(struct vt_notes *notes, const char *old, const char *new);

void vt_notes_free(struct vt_notes *notes);
