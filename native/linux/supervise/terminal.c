#define _GNU_SOURCE
#include "supervise/supervise.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "base/files.h"
#include "base/basics.h"

/* asm-generic/ioctls.h: TIOCGPTPEER, since Linux 4.13. Opens the slave wherever devpts is mounted. */
enum { OPEN_SLAVE = 0x5441 };

static void close_one(int *fd) {
  if (*fd >= 0) close(*fd);
  *fd = -1;
}

/* Non-blocking: input that the terminal does not take yet is kept. O_NONBLOCK does not affect the command's end (fcntl(2)). */
static int open_master(void) {
  return vt_above_standard(open("/dev/ptmx", O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC));
}

static int open_slave(int master) {
  int locked = 0;
  if (ioctl(master, TIOCSPTLCK, &locked)) return -1;
  return vt_above_standard(ioctl(master, OPEN_SLAVE, O_RDWR | O_NOCTTY | O_CLOEXEC));
}

static int set_size(int fd, unsigned columns, unsigned rows) {
  struct winsize size = {.ws_col = (unsigned short)columns, .ws_row = (unsigned short)rows};
  return ioctl(fd, TIOCSWINSZ, &size);
}

/* IUTF8: erasing a character in the line discipline erases all its bytes (termios(3)). */
static int prepare(int slave, unsigned columns, unsigned rows) {
  struct termios settings;
  if (tcgetattr(slave, &settings)) return -1;
  settings.c_iflag |= IUTF8;
  return tcsetattr(slave, TCSANOW, &settings) || set_size(slave, columns, rows);
}

/* A pipe from the owner, which buffers input. */
static int open_typed(struct vt_terminal *terminal) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC)) return -1;
  terminal->typed = ends[0];
  if (fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0) return ends[1];
  close(ends[1]);
  return -1;
}

/* The command's only stream. Takes over the master. */
static int open_shown(struct vt_command *command, int master) {
  struct vt_pipe *shown = vt_must(calloc(1, sizeof *shown));
  *shown = (struct vt_pipe){.fd = master, .stream = VT_STDOUT, .command = command};
  shown->source = (struct vt_source){VT_SOURCE_PIPE, shown};
  command->pipes[VT_STDOUT] = shown;
  command->terminal->room = fcntl(master, F_DUPFD_CLOEXEC, 3);
  return command->terminal->room < 0 ? -1 : 0;
}

static int open_streams(struct vt_command *command) {
  command->merged = true;
  command->stdin_fd = command->write_ends[VT_STDOUT] = fcntl(command->terminal->slave, F_DUPFD_CLOEXEC, 3);
  return command->stdin_fd < 0 ? -1 : 0;
}

int vt_terminal_open(struct vt_command *command, unsigned columns, unsigned rows) {
  int master = open_master(), typed = -1;
  if (master < 0) return -1;
  struct vt_terminal *terminal = vt_must(calloc(1, sizeof *terminal));
  *terminal = (struct vt_terminal){.slave = -1, .typed = -1, .room = -1};
  terminal->typed_source = (struct vt_source){VT_SOURCE_TYPED, terminal};
  terminal->room_source = (struct vt_source){VT_SOURCE_ROOM, terminal};
  command->terminal = terminal;
  if (open_shown(command, master) == 0 && (terminal->slave = open_slave(master)) >= 0 &&
      prepare(terminal->slave, columns, rows) == 0 && open_streams(command) == 0)
    typed = open_typed(terminal);
  return typed;
}

void vt_terminal_begin(struct vt_command *command) {
  command->terminal->begun = true;
  vt_event_loop_add(command->terminal->typed, &command->terminal->typed_source);
}

static void wait_for_room(struct vt_terminal *terminal) {
  if (!terminal->waiting) {
    vt_event_loop_remove(terminal->typed);
    vt_event_loop_add_room(terminal->room, &terminal->room_source);
  }
  terminal->waiting = true;
}

static void wait_for_typed(struct vt_terminal *terminal) {
  if (terminal->waiting) {
    vt_event_loop_remove(terminal->room);
    vt_event_loop_add(terminal->typed, &terminal->typed_source);
  }
  terminal->waiting = false;
}

static void stop_typing(struct vt_terminal *terminal) {
  if (terminal->typed < 0) return;
  if (terminal->begun) vt_event_loop_remove(terminal->waiting ? terminal->room : terminal->typed);
  terminal->waiting = false;
  close_one(&terminal->typed);
}

static void pass_on(struct vt_terminal *terminal) {
  while (terminal->at < terminal->length) {
    ssize_t taken = write(terminal->room, terminal->bytes + terminal->at, terminal->length - terminal->at);
    if (taken > 0) terminal->at += (size_t)taken;
    else if (taken == 0 || errno == EAGAIN) return wait_for_room(terminal);
    else if (errno != EINTR) return stop_typing(terminal);
  }
  wait_for_typed(terminal);
}

void vt_terminal_typed(struct vt_terminal *terminal) {
  if (terminal->typed < 0 || terminal->waiting) return;
  ssize_t length = read(terminal->typed, terminal->bytes, sizeof terminal->bytes);
  if (length < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (length <= 0) return stop_typing(terminal);
  terminal->at = 0;
  terminal->length = (size_t)length;
  pass_on(terminal);
}

void vt_terminal_has_room(struct vt_terminal *terminal) {
  if (terminal->waiting) pass_on(terminal);
}

void vt_terminal_resize(const struct vt_command *command, unsigned columns, unsigned rows) {
  if (command->terminal) set_size(command->terminal->room, columns, rows);
}

pid_t vt_terminal_foreground(const struct vt_command *command) {
  pid_t group;
  return command->terminal && ioctl(command->terminal->room, TIOCGPGRP, &group) == 0 ? group : 0;
}

void vt_terminal_leader_ended(struct vt_command *command) {
  if (!command->terminal) return;
  stop_typing(command->terminal);
  close_one(&command->terminal->slave);
}

void vt_terminal_close(struct vt_command *command) {
  struct vt_terminal *terminal = command->terminal;
  if (!terminal) return;
  stop_typing(terminal);
  close_one(&terminal->slave);
  close_one(&terminal->room);
  free(terminal);
  command->terminal = NULL;
}
