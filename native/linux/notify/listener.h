/* What the supervisor and the notifiers share of one confined command: the listener of its filter, and what was refused.
 * The supervisor opens it and closes it at the command's end; a notifier that is at work keeps it alive beyond that. */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/command.h"
#include "notify/denials.h"

struct vt_listener {
  int references;          /* atomic */
  int fd;            /* closed with the last reference */
  pid_t session;
  struct vt_confinement *policy;
  bool idle;               /* in the set of idle listeners; under its lock (idle.c), and so is the next */
  struct vt_listener *newer; /* in its list of new ones */
  bool called;             /* atomic: some call has come */
  int waiting;             /* atomic: calls that wait for a lock (waiters.c) */
  uint64_t most_file_bytes; /* that a file may have (file_size.h); 0: no limit */
  bool limits_files;       /* atomic: the command set RLIMIT_FSIZE itself */
  bool asks_too_much;      /* atomic: it asked for a file that is larger than any may be */
  pthread_mutex_t lock;    /* of what follows */
  bool closed;             /* the command has been told: nothing is counted any more */
  struct vt_denials *denials;
};

/* Takes over the listener of a command that has started. Aborts without memory: nobody would answer its calls. */
struct vt_listener *vt_listener_open(const struct vt_command *command, struct vt_source *source);

/* What poll(2) tells of the listener: POLLIN a call waits, POLLHUP nobody is left under the filter. */
int vt_listener_events(const struct vt_listener *listener);

/* The command has ended and been told: the supervisor lets go of its reference. */
void vt_listener_close(struct vt_listener *listener);

void vt_listener_retain(struct vt_listener *listener);
void vt_listener_release(struct vt_listener *listener);

void vt_listener_count(struct vt_listener *listener, const struct vt_denial *refused);

/* Takes out what was counted, NULL for nothing; the caller frees it. Counting goes on. */
struct vt_denials *vt_listener_take(struct vt_listener *listener);
