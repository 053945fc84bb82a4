/* A confined command's listener, and what its notifications leave for its result: denials, and notes for the owner. Shared by supervisor
 * and notifiers. */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/command.h"
#include "base/files.h"
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

struct vt_notification;
struct vt_open_port;

struct vt_listener {
  int references;          /* atomic */
  int fd;            /* closed with the last reference */
  pid_t session;
  uint64_t mark;           /* 0: none */
  struct vt_proxy proxy;   /* where it may connect to */
  bool network;            /* it may connect anywhere */
  char **services;         /* where it may connect to beside (VT_SERVICE), NULL-terminated; NULL: nowhere */
  struct vt_world *world;  /* whose sockets it reaches; NULL: none */
  struct vt_confinement *confinement;
  struct vt_listener *next; /* of those that wait for a notifier */
  bool limits_files;       /* atomic: the command set RLIMIT_FSIZE itself */
  bool umask_varies;       /* atomic: a process of the command set its umask */
  bool capabilities_vary;  /* atomic: a process of the command set its capabilities */
  bool has_domains;        /* atomic: a process has entered a Landlock domain of its own (handlers/processes.c) */
  unsigned umask;          /* of the command at its start */
  struct vt_identity made_git; /* the git directory that the command has made where there was none (handlers/new_git.c) */
  pthread_mutex_t lock;    /* for `closed`, `denials` and `open_ports` */
  struct vt_questions *questions; /* NULL: the owner is not asked */
  bool closed;             /* the command is reported: denials no longer count */
  struct vt_denials *denials;
  struct vt_open_port *open_ports; /* NULL: none */
  int told;                /* how many of them the owner knows */
  bool untold;             /* atomic: there are more */
  struct vt_notes *notes;  /* NULL: none; under the lock, as is their taking */
};

/* Takes over a started command's listener. */
struct vt_listener *vt_listener_open(const struct vt_command *command, struct vt_source *source);

/* Events of poll(2): POLLIN a call waits, POLLHUP no process is left under the filter. */
int vt_listener_events(const struct vt_listener *listener);

/* The command is reported: releases the supervisor's reference. */
void vt_listener_close(struct vt_listener *listener);

void vt_listener_retain(struct vt_listener *listener);
void vt_listener_release(struct vt_listener *listener);

/* Tells the owner of new `open_ports`. Before any output that came after listen(2). */
void vt_listener_tell(const struct vt_command *command);

void vt_listener_count(struct vt_listener *listener, const struct vt_denial *refused);

/* What is to be reported, for the caller to free; NULL: none. Counting goes on. */
void vt_listener_take(struct vt_listener *listener, struct vt_end *end);

/* RLIMIT_FSIZE (setrlimit(2)), which goes with a limit of the private tmp: that limit plus 1 MiB, so that the monitor acts first; 0: none. */
uint64_t vt_fsize_most(const struct vt_command *command);

/* Opens /proc/PID/io of the started command, to be read at its end. */
void vt_fsize_open(struct vt_command *command);
void vt_fsize_close(struct vt_command *command);

/* As ftruncate(2), within the limit of that thread: the kernel holds a caller to it only in its own calls. */
int vt_fsize_truncate(pid_t thread, int fd, off_t length);

/* True if SIGXFSZ ended the leader, or its last command if it is a shell. Call before it is reaped. */
bool vt_fsize_met(const struct vt_command *command);

/* Where `on_protected = "ask"` holds, the owner of a command is asked before something protected changes: once for each protected
 * path and command (handlers/waiting.c). */
struct vt_questions *vt_questions_open(uint32_t id);
void vt_questions_free(struct vt_questions *questions);

/* Waits for the owner's answer, or finds an earlier one. No answer, because the caller or its command has ended, is no. Without a
 * notification: whether the owner has said yes about the path, never waits. */
bool vt_questions_ask(struct vt_questions *questions, const struct vt_notification *notification, const char *path);

/* Called by the supervisor thread. */
void vt_questions_answer(struct vt_questions *questions, size_t number, bool yes);
