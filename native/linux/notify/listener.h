/* A confined command's listener and denials, shared by supervisor and notifiers. */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/command.h"
#include "notify/report.h"

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
  uint64_t most_file_bytes; /* largest size of a file (vt_fsize_most()); 0: no limit */
  bool limits_files;       /* atomic: the command set RLIMIT_FSIZE itself */
  bool umask_varies;       /* atomic: a process of the command set its umask */
  bool capabilities_vary;  /* atomic: a process of the command set its capabilities */
  bool has_domains;        /* atomic: a process has entered a Landlock domain of its own (handlers/processes.c) */
  unsigned umask;          /* of the command at its start */
  bool asks_too_much;      /* atomic: it asked for a larger file than allowed */
  pthread_mutex_t lock;    /* for `closed`, `denials` and `open_ports` */
  struct vt_questions *questions; /* NULL: the owner is not asked */
  bool closed;             /* the command is reported: denials no longer count */
  struct vt_denials *denials;
  struct vt_open_port *open_ports; /* NULL: none */
  struct vt_notes *notes;  /* NULL: none; under the lock, as is their taking */
};

/* Takes over a started command's listener. */
struct vt_listener *vt_listener_open(const struct vt_command *command, struct vt_source *source);

/* Events of poll(2): POLLIN a call waits, POLLHUP no process is left under the filter. */
int vt_listener_events(const struct vt_listener *listener);

/* The command is reported: releases the supervisor's reference. */
void vt_listener_close(struct vt_listener *listener);

bool vt_listener_is_closed(struct vt_listener *listener);

void vt_listener_retain(struct vt_listener *listener);
void vt_listener_release(struct vt_listener *listener);

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

/* Waits for the owner's answer, or finds an earlier one. No answer, because the caller or its command has ended, is no. */
bool vt_questions_ask(struct vt_questions *questions, const struct vt_notification *notification, const char *path);

/* Whether the owner has said yes about the path. Never waits. */
bool vt_questions_allowed(struct vt_questions *questions, const char *path);

/* Called by the supervisor thread. */
void vt_questions_answer(struct vt_questions *questions, size_t number, bool yes);
