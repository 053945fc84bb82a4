/* One command, and orders about it. It is created by the JavaScript thread, started by a launcher, then owned by the supervisor
 * thread. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "core.h"
#include "limits/limits.h"

struct vt_confinement;
struct vt_command;
struct vt_listener;
struct vt_denials;
struct vt_terminal;
struct vt_watch_slot;
struct vt_meter;
struct vt_launch_room;

enum vt_source_kind {
  VT_SOURCE_WAKE, VT_SOURCE_LEADER, VT_SOURCE_LISTENER, VT_SOURCE_PIPE, VT_SOURCE_TYPED, VT_SOURCE_ROOM, VT_SOURCE_WATCHER,
};

struct vt_source {
  enum vt_source_kind kind;
  void *of;
};

/* The read end of one stream. Without a command (in write mode, after its end) the data is discarded. */
struct vt_pipe {
  struct vt_source source;
  int fd, stream;
  bool watched;
  bool paused;
  struct vt_command *command;
};

enum vt_phase { VT_LAUNCHING, VT_RUNNING, VT_DRAINING, VT_LINGERING, VT_SWEEPING, VT_ENDING, VT_ENDED };

enum { VT_STREAMS = 2, VT_STDOUT = 0, VT_STDERR = 1 };

struct vt_command {
  struct vt_command *next;
  struct vt_command *queued;
  uint32_t id;
  struct vt_owner *owner;

  /* requested */
  char **candidates, **argv, **envp;
  const char *cwd;
  int stdin_fd;             /* -1: /dev/null */
  bool owns_stdin;
  int state_fd;             /* 0: none */
  bool merged;
  bool tells_start;
  struct vt_place *places;  /* NULL: unconfined */
  bool network, with_listener, asks; /* as in struct vt_request, like `proxy` */
  struct vt_proxy proxy;
  uint32_t world;
  int abi;
  bool reserves_notifier;   /* has one of its own reserved that no call has needed yet */
  struct vt_confinement *confinement; /* set during the launch; NULL: unconfined */
  struct vt_terminal *terminal; /* NULL: pipes */
  char cookie[64];          /* unconfined: in the environment */
  uint64_t mark;            /* confined (base/watched.h); 0: none */
  char *strings;            /* the block of the texts above */
  struct vt_limits limits;
  int64_t deadline; /* monotonic milliseconds; 0: left to the owner */
  uint32_t grace_ms;
  char cgroup[VT_CGROUP_NAME]; /* its name; empty: none */
  int cgroup_fd;            /* during the launch */
  int cgroup_door;          /* cgroup.procs, for vt_cgroup_join(); -1: not needed */
  const char **writable;    /* NULL-terminated; NULL: none */

  struct vt_launch_room *room; /* during the launch */
  pid_t host;                  /* this process, by the launcher */

  /* started */
  pid_t pid;                /* of leader, session and process group */
  int pidfd;
  mode_t umask;             /* of a confined command */
  int io;                   /* /proc/PID/io, for vt_fsize_met(); -1: not open */
  int listener_fd;             /* taken over by vt_listener_open() */
  int write_ends[VT_STREAMS];
  struct vt_watch_slot *slot;
  const char *failed_step;  /* its name in a result; NULL: none */
  int failed_errno;

  /* supervised */
  enum vt_phase phase;
  struct vt_source leader_source, listener_source;
  struct vt_listener *listener; /* NULL: none */
  struct vt_pipe *pipes[VT_STREAMS];
  size_t unconsumed;        /* bytes passed to the owner, not acknowledged yet */
  bool leader_ended, empty, terminated, timed_out, killing, reported;
  uint64_t early_signals;   /* from before it was launched: bit n-1 for signal n */
  int64_t grace_ends; /* monotonic milliseconds, set with `terminated` and for VT_LINGERING */
  /* monotonic milliseconds; the first two stand still while the output is paused */
  int64_t last_byte, phase_since, phase_entered, paused_since;
  struct vt_meter *meters[2];
  const char *limited;      /* name of the limit that ended it */
  bool settled;             /* the monitors' last measurements are in, or overdue */
  int finishing;            /* rounds of waiting for orphans */
  int misses;               /* passes of the sweep in a row without a process */
  bool counted;             /* what is ended with it, in `killed` */
  int killed;
};

/* Its descriptors must be closed. */
void vt_command_free(struct vt_command *command);

/* Orders to the supervisor from other threads. */
enum vt_message_kind {
  VT_MESSAGE_ADD, VT_MESSAGE_LAUNCHED,
  VT_MESSAGE_TERMINATE, VT_MESSAGE_KILL, VT_MESSAGE_SIGNAL, VT_MESSAGE_CONSUMED, VT_MESSAGE_RESIZE, VT_MESSAGE_ASK,
  VT_MESSAGE_ANSWER, VT_MESSAGE_KILL_ALL, VT_MESSAGE_RELEASE,
};

struct vt_message {
  struct vt_message *next;
  enum vt_message_kind kind;
  struct vt_command *command; /* ADD, LAUNCHED */
  struct vt_owner *owner;     /* KILL_ALL */
  struct vt_listener *listener; /* RELEASE */
  uint32_t id;
  size_t value;               /* TERMINATE: at the deadline?; SIGNAL: number; CONSUMED: bytes; RESIZE: columns * 65536 + rows;
                                 ASK: number; ANSWER: number * 2 + yes */
  char *text;                 /* ASK: the protected path; the supervisor frees it */
};

/* Returns the wake-up descriptor, or -1 with errno. */
int vt_mailbox_open(void);

/* Without `wake` it waits for the next wake-up. */
void vt_mailbox_post(struct vt_message order, bool wake);

void vt_mailbox_wake(void);

/* All orders, oldest first, each to be freed. */
struct vt_message *vt_mailbox_take(void);
