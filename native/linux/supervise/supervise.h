/* The supervisor thread: follows all commands from start to sweep. What is not marked is for that thread only. */
#pragma once

#include <stdbool.h>

#include "base/command.h"

/* supervisor.c. Any thread: it owns all commands; other threads send it the orders of core.h. */

/* 0, or -1 with errno (no descriptor or thread left): may be tried again. */
int vt_supervisor_ready(void);

/* Before the command is queued for launch. */
void vt_supervisor_add(struct vt_command *command);

/* From the launcher: the command has started, or failed_step says why not. */
void vt_supervisor_launched(struct vt_command *command);

/* event_loop.c: the descriptors that it waits for: pidfds, pipes, and the hang-up of listeners. */

/* 0, or -1 with errno: may be tried again. */
int vt_event_loop_open(int wake_fd);
void vt_event_loop_add(int fd, struct vt_source *source);
void vt_event_loop_add_room(int fd, struct vt_source *source);
void vt_event_loop_remove(int fd);

/* For a listener: its notifications belong to the notifiers. */
void vt_event_loop_add_hang_up(int fd, struct vt_source *source);

/* Waits at most `timeout` milliseconds; -1: no limit. */
void vt_event_loop_wait(int timeout, void (*ready)(struct vt_source *source));

/* lifecycle.c: the phases of a command: launching, running, draining, lingering, sweeping, ending. */

/* Takes every step that is due; true when the command has ended and can be freed. */
bool vt_lifecycle_advance(struct vt_command *command);

/* Milliseconds until vt_lifecycle_advance() is due again; -1: never. */
int vt_lifecycle_due_in(const struct vt_command *command);

/* deadline.c: SIGTERM at the deadline or by order, SIGKILL after the grace, even while JavaScript is busy. */

/* Before the launch: sets the deadline in milliseconds from now. 0: no deadline, or no grace. */
void vt_deadline_set(struct vt_command *command, uint32_t timeout_ms, uint32_t grace_ms);

/* Only the first cause counts. */
void vt_deadline_terminate(struct vt_command *command, bool at_deadline);

void vt_deadline_launched(const struct vt_command *command);

void vt_deadline_apply(struct vt_command *command);

/* Milliseconds until vt_deadline_apply() is due again; -1: never. */
int vt_deadline_due_in(const struct vt_command *command);

/* session.c: the processes of a command, found by mark (base/watched.h), or by session id and, if unconfined, by cookie. */

/* Call first. 0, or -1 with errno: may be tried again. */
int vt_session_open(void);

/* Counts the live members besides the leader in command->killed, the first time; returns that count. */
int vt_session_count_ended(struct vt_command *command);

/* Asks every live member to end: SIGTERM, to those with a terminal also SIGHUP, then SIGCONT. */
void vt_session_ask(const struct vt_command *command);

/* Kills every live member except the ended leader. Returns how many it found. */
int vt_session_sweep(struct vt_command *command);

/* The number of live members besides the leader. */
int vt_session_count(const struct vt_command *command);

/* The number of live members in the leader's process group; none that is about to end. */
int vt_session_count_group(const struct vt_command *command);

/* Live processes of an unconfined command that have left its process group (setsid(2)); at most `room`. */
void vt_session_find_left(const struct vt_command *command, pid_t *left, int room);

/* Zombies included; returns the sum. */
int vt_session_each(pid_t session, void *context, int (*found)(void *context, pid_t pid));

/* The same for each process of the command. */
int vt_session_each_of(const struct vt_command *command, void *context, int (*found)(void *context, pid_t pid));

/* To the command's process group, and its terminal's foreground group. */
void vt_session_signal(const struct vt_command *command, int signal);

/* Whether the command with this leader and mark has the group. Any thread. */
bool vt_session_has_group(pid_t session, uint64_t mark, pid_t group);

/* orphans.c. Orphans of commands become children, and in the end zombies, of a host that is process 1 of a container or a subreaper
 * (PR_SET_CHILD_SUBREAPER(2const)). Reaps only what has the mark of a command, or is in a session while an unreaped member keeps its
 * number from reuse: never the host's other children. */

bool vt_orphans_expected(void);

/* Reaps ended processes of the command, whose leader is not reaped yet. Returns how many are left. */
int vt_orphans_reap(const struct vt_command *command);

/* Remembers the sessions of survivors; the leader is not reaped yet. */
void vt_orphans_adopt(const struct vt_command *command);

/* Once a second: reaps in the sessions of running commands and the remembered ones. */
void vt_orphans_look(const struct vt_command *commands);

int vt_orphans_due_in(const struct vt_command *commands);

/* epoll_watches.c: each user has /proc/sys/fs/epoll/max_user_watches (epoll(7)); libuv aborts the host without one, and no rlimit
 * bounds them. */

/* If none are left, kills the confined commands that hold epoll sets. */
void vt_watches_look(struct vt_command *commands);

/* Milliseconds; -1: never. */
int vt_watches_due_in(const struct vt_command *commands);

/* streams.c: a command's output: read from its pipes, passed to its owner, paused when the owner does not keep up. */

void vt_stream_read(struct vt_pipe *pipe);

void vt_streams_open(struct vt_command *command);
bool vt_streams_ended(const struct vt_command *command);
bool vt_streams_paused(const struct vt_command *command);

/* Paused streams may resume. */
void vt_streams_consumed(struct vt_command *command, size_t bytes);

/* Passes on what the pipes hold now, however much is unconsumed. */
void vt_streams_take_rest(struct vt_command *command);

/* The command has ended. `keep`: pipes that survivors write to are read and discarded, else closed. */
void vt_streams_release(struct vt_command *command, bool keep);

/* terminal.c: a command's own terminal (pty(7)): its size and input. streams.c reads its output. */

struct vt_terminal {
  struct vt_source typed_source, room_source;
  int slave; /* held until the leader ends: closing its streams for a while is no hang-up */
  int typed; /* the pipe with the owner's input; -1: closed */
  int room;  /* duplicate of the master, for writing */
  bool begun;   /* one of the two is in the event loop */
  bool waiting; /* until the terminal accepts input */
  size_t at, length;
  char bytes[4096];
};

/* Returns the write end of the input pipe, or -1 with errno. */
int vt_terminal_open(struct vt_command *command, unsigned columns, unsigned rows);

/* Supervisor thread: starts passing input on. */
void vt_terminal_begin(struct vt_command *command);
void vt_terminal_typed(struct vt_terminal *terminal);
void vt_terminal_has_room(struct vt_terminal *terminal);

/* The kernel sends SIGWINCH to the foreground group (ioctl_tty(2)). */
void vt_terminal_resize(const struct vt_command *command, unsigned columns, unsigned rows);

pid_t vt_terminal_foreground(const struct vt_command *command);

/* The leader has ended: no more input; the output reaches its end. */
void vt_terminal_leader_ended(struct vt_command *command);

void vt_terminal_close(struct vt_command *command);
