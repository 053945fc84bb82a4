/* A command's own terminal (pty(7)): its size and input. streams.c reads its output. */
#pragma once

#include "base/command.h"

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
