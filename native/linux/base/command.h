/* One command: what was asked for, what was started, where it stands. Touched by one thread at a time:
 * the JavaScript thread makes it, the launcher thread starts it, the supervisor thread has it from then on. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "core.h"
#include "limits/cgroup.h"

struct vt_confinement;
struct vt_command;
struct vt_listener;
struct vt_denials;
struct vt_terminal;
struct vt_watch_slot;
struct vt_monitor;
struct vt_launch_room;

/* The steps of a launch, in order; a failed one is reported by name. */
enum vt_step {
  VT_STEP_NONE,
  VT_STEP_RULESET,
  VT_STEP_FILTER,
  VT_STEP_THREADS,
  VT_STEP_PIPES,
  VT_STEP_TERMINAL,
  VT_STEP_WATCHER,
  VT_STEP_CLONE,
  VT_STEP_SIGNALS,
  VT_STEP_SESSION,
  VT_STEP_CGROUP,
  VT_STEP_CWD,
  VT_STEP_CORE_DUMPS,
  VT_STEP_LIMITS,
  VT_STEP_CAPABILITIES,
  VT_STEP_NO_NEW_PRIVS,
  VT_STEP_PARENT_DEATH,
  VT_STEP_LANDLOCK,
  VT_STEP_SECCOMP,
  VT_STEP_DESCRIPTORS,
  VT_STEP_STDIO,
  VT_STEP_EXEC,
  VT_STEP_WAIT,
};

/* The name that a person reads in SPAWN_FAILED. */
const char *vt_step_name(enum vt_step step);

enum vt_source_kind {
  VT_SOURCE_WAKE, VT_SOURCE_LEADER, VT_SOURCE_LISTENER, VT_SOURCE_PIPE, VT_SOURCE_TYPED, VT_SOURCE_ROOM, VT_SOURCE_WATCHER,
};

/* What the poller hands back. */
struct vt_source {
  enum vt_source_kind kind;
  void *of;
};

/* The read end of one stream. Without a command (it has ended, write mode) what comes is thrown away. */
struct vt_pipe {
  struct vt_source source;
  int fd, stream;
  bool paused;
  struct vt_command *command;
};

enum vt_phase { VT_LAUNCHING, VT_RUNNING, VT_DRAINING, VT_SWEEPING, VT_ENDING, VT_ENDED };

enum { VT_STREAMS = 2, VT_STDOUT = 0, VT_STDERR = 1, VT_REMEMBERED = 256 };

struct vt_command {
  struct vt_command *next;  /* in the supervisor's list */
  struct vt_command *queued; /* in the launcher's queue */
  uint32_t id;
  struct vt_owner *owner;

  /* asked for */
  char **candidates, **argv, **envp;
  const char *cwd;
  int stdin_fd;             /* -1: /dev/null */
  bool owns_stdin;          /* closed once the command has it */
  int state_fd;             /* its descriptor 3, with has_state */
  bool has_state;           /* closed once the command has it */
  bool merged;
  char **places;            /* confined: what its policy is made of, behind letters (core.h); NULL: unconfined */
  bool network, with_listener, with_reports; /* confined: struct vt_request */
  int abi;
  struct vt_confinement *policy; /* once it is launched; NULL: unconfined */
  struct vt_terminal *terminal; /* NULL: pipes */
  char cookie[64];          /* unconfined: in the environment, to find those who left the session */
  char *strings;            /* what the pointers above point into */
  struct vt_limits limits;
  int64_t deadline; /* monotonic milliseconds; 0: its owner ends it, and sees to the grace */
  uint32_t grace_ms;
  char cgroup[VT_CGROUP_NAME]; /* its own, by name; empty: none */
  int cgroup_fd;            /* its directory, while it is launched */
  int cgroup_door;          /* to join it by, where it cannot be started in it; -1: it was */
  const char **writable;    /* among the places: directories granted for writing, NULL-terminated; NULL: none */

  struct vt_launch_room *room; /* while it is launched */

  /* started */
  pid_t pid;                /* leader, session and process group */
  int pidfd;
  int io;                   /* what it has written (file_size.h); -1: not to be told */
  int listener_fd;             /* of the filter; the listener's from then on */
  int write_ends[VT_STREAMS];
  struct vt_watch_slot *slot;  /* in the watcher's table */
  enum vt_step failed_step;
  int failed_errno;

  /* supervised */
  enum vt_phase phase;
  struct vt_source leader_source, listener_source;
  struct vt_listener *listener; /* NULL: there is no listener */
  struct vt_pipe *pipes[VT_STREAMS];
  size_t unconsumed;        /* bytes handed out and not yet taken back by `consumed` */
  bool leader_ended, empty, terminated, timed_out, killing, reported;
  int64_t grace_ends; /* monotonic milliseconds, once it is terminated */
  /* monotonic milliseconds; the first two stand still while the owner holds the output back */
  int64_t last_byte, phase_since, phase_entered, paused_since;
  struct vt_monitor *meters[2]; /* of the kinds in meter.h; NULL: nothing to measure */
  const char *limited;      /* the limit that ended it, by name */
  bool settled;             /* the meters have had their last look */
  int finishing;            /* how often its orphans were looked for */
  int misses;               /* passes of the sweep in a row that found nobody */
  int remembered_count;
  pid_t remembered[VT_REMEMBERED]; /* whom the last pass killed, so that nobody counts twice */
  int killed;
};

/* Its memory and its policy; descriptors are closed before. */
void vt_command_free(struct vt_command *command);
