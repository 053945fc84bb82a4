/* A command's own terminal (pty(7)): the pair, its size, and what is typed into it. What it shows is read as any output,
 * streams.c. */
#pragma once

#include "base/command.h"

struct vt_terminal {
  struct vt_source typed_source, room_source;
  int slave; /* held until the leader has ended: a command that closes its streams for a while hangs up on nobody */
  int typed; /* the pipe that the owner types into, -1: it is closed */
  int room;  /* duplicate of the master, to write to */
  bool waiting; /* for room */
  size_t at, length;
  char bytes[4096];
};

/* Opens the terminal, and what is read and typed; returns the end of the pipe to type into, or -1 with errno. */
int vt_terminal_open(struct vt_command *command, unsigned columns, unsigned rows);

/* Supervisor thread: begins to pass on what is typed. */
void vt_terminal_begin(struct vt_command *command);
void vt_terminal_typed(struct vt_terminal *terminal);
void vt_terminal_has_room(struct vt_terminal *terminal);

/* The kernel tells the foreground of a new size by SIGWINCH (ioctl_tty(2)). */
void vt_terminal_resize(const struct vt_command *command, unsigned columns, unsigned rows);

/* The process group in the foreground; 0: there is none. */
pid_t vt_terminal_foreground(const struct vt_command *command);

/* The leader has ended: nothing is typed any more, and what is shown comes to its end. */
void vt_terminal_leader_ended(struct vt_command *command);

/* Hangs up. */
void vt_terminal_close(struct vt_command *command);
