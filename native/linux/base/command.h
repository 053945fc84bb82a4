/* One command. The JavaScript thread creates it, the launcher thread starts it, the supervisor thread owns it from then on. */
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
struct vt_store;
struct vt_launch_room;

enum vt_step {
  VT_STEP_NONE,
  VT_STEP_RULESET,
  VT_STEP_FILTER,
  VT_STEP_THREADS,
  VT_STEP_PIPES,
  VT_STEP_TERMINAL,
  VT_STEP_WATCHER,
  VT_STEP_WORKSPACE,
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

enum vt_source_kind {
  VT_SOURCE_WAKE, VT_SOURCE_LEADER, VT_SOURCE_LISTENER, VT_SOURCE_PIPE, VT_SOURCE_TYPED, VT_SOURCE_ROOM, VT_SOURCE_WATCHER,
};

struct vt_source {
  enum vt_source_kind kind;
  void *of;
};

/* The read end of one stream. Without a command (ended, in write mode) its data is discarded. */
struct vt_pipe {
  struct vt_source source;
  int fd, stream;
  bool watched; /* in the event loop */
  bool paused;
  struct vt_command *command;
};

enum vt_phase { VT_LAUNCHING, VT_RUNNING, VT_DRAINING, VT_SWEEPING, VT_ENDING, VT_ENDED };

enum { VT_STREAMS = 2, VT_STDOUT = 0, VT_STDERR = 1, VT_REMEMBERED = 256 };

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
  int state_fd;             /* becomes its descriptor 3, if has_state */
  bool has_state;
  bool merged;
  struct vt_place *places;  /* what a confined command may reach; NULL: unconfined */
  bool network, with_listener, asks; /* confined: as in struct vt_request */
  struct vt_proxy proxy;    /* likewise */
  int abi;
  struct vt_workspace_server *server; /* answers for a workspace command; NULL: the notifiers do */
  struct vt_confinement *confinement; /* set during the launch; NULL: unconfined */
  struct vt_terminal *terminal; /* NULL: pipes */
  char cookie[64];          /* unconfined: in the environment, finds processes that left the session */
  char *strings;            /* the block that holds the texts above */
  struct vt_limits limits;
  int64_t deadline; /* monotonic milliseconds; 0: the owner ends it and keeps the grace */
  uint32_t grace_ms;
  char cgroup[VT_CGROUP_NAME]; /* name of its own cgroup; empty: none */
  int cgroup_fd;            /* the cgroup's directory, during the launch */
  int cgroup_door;          /* cgroup.procs, by which the child joins its cgroup; -1: created there, or no cgroup */
  const char **writable;    /* the places granted for writing, NULL-terminated; NULL: none */

  struct vt_launch_room *room; /* during the launch */

  /* started */
  pid_t pid;                /* id of leader, session and process group */
  int pidfd;
  mode_t umask;             /* of a confined command */
  int io;                   /* /proc/PID/io, for vt_fsize_met(); -1: not open */
  int listener_fd;             /* of the filter; vt_listener_open() takes it over */
  int write_ends[VT_STREAMS];
  struct vt_watch_slot *slot;
  enum vt_step failed_step;
  int failed_errno;

  /* supervised */
  enum vt_phase phase;
  struct vt_source leader_source, listener_source;
  struct vt_listener *listener; /* NULL: none */
  struct vt_pipe *pipes[VT_STREAMS];
  size_t unconsumed;        /* bytes passed to the owner, not yet acknowledged by `consumed` */
  bool held;                /* the owner takes no output until vt_core_store(), or its end */
  struct vt_store *store;   /* its thread reads the pipes; NULL: the supervisor does */
  bool leader_ended, empty, terminated, timed_out, killing, reported;
  uint64_t early_signals;   /* asked for during the launch: bit n for signal n */
  int64_t grace_ends; /* monotonic milliseconds, set with `terminated` */
  /* monotonic milliseconds; the first two stand still while the output is paused */
  int64_t last_byte, phase_since, phase_entered, paused_since;
  struct vt_monitor *meters[2];
  const char *limited;      /* name of the limit that ended it */
  bool settled;             /* the monitors' last measurements are in, or overdue */
  int finishing;            /* rounds of waiting for its orphans to end */
  int misses;               /* consecutive sweep passes that found no process */
  int remembered_count;
  pid_t remembered[VT_REMEMBERED]; /* killed so far, so that none counts twice */
  int killed;
};

/* Releases its confinement too; its descriptors must be closed. */
void vt_command_free(struct vt_command *command);
