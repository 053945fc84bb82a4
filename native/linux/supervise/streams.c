#define _GNU_SOURCE
#include "supervise/supervise.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/basics.h"
#include "notify/listener.h"

/* A pipe holds 64 KiB (pipe(7)): one read empties it. The window bounds the owner's unconsumed output. */
enum { READ_BYTES = 64 * 1024, WINDOW_BYTES = 1024 * 1024 };

static char buffer[READ_BYTES]; /* supervisor thread only */

static void watch(struct vt_pipe *pipe) {
  vt_event_loop_add(pipe->fd, &pipe->source);
  pipe->watched = true;
}

static void unwatch(struct vt_pipe *pipe) {
  if (pipe->watched) vt_event_loop_remove(pipe->fd);
  pipe->watched = false;
}

static void close_pipe(struct vt_pipe *pipe) {
  unwatch(pipe);
  close(pipe->fd);
  if (pipe->command) pipe->command->pipes[pipe->stream] = NULL;
  free(pipe);
}

/* Removes the pipes from the event loop, which would report a hang-up in any case. */
static void pause_streams(struct vt_command *command) {
  for (int stream = 0; stream < VT_STREAMS; stream++) {
    struct vt_pipe *pipe = command->pipes[stream];
    if (!pipe || pipe->paused) continue;
    unwatch(pipe);
    pipe->paused = true;
    command->paused_since = vt_now();
  }
}

static void hand_out(struct vt_pipe *pipe, size_t length) {
  struct vt_command *command = pipe->command;
  if (!command) return;
  command->last_byte = vt_now();
  command->unconsumed += length;
  vt_listener_tell(command);
  command->owner->output(command->owner, command->id, pipe->stream, buffer, length);
  if (command->unconsumed > WINDOW_BYTES) pause_streams(command);
}

void vt_stream_read(struct vt_pipe *pipe) {
  if (pipe->paused) return; /* paused by its sibling's output in the same batch */
  ssize_t length = read(pipe->fd, buffer, sizeof buffer);
  if (length > 0) hand_out(pipe, (size_t)length);
  else if (length == 0 || (errno != EAGAIN && errno != EINTR)) close_pipe(pipe);
}

void vt_streams_open(struct vt_command *command) {
  for (int stream = 0; stream < VT_STREAMS; stream++)
    if (command->pipes[stream]) watch(command->pipes[stream]);
}

bool vt_streams_ended(const struct vt_command *command) {
  return !command->pipes[VT_STDOUT] && !command->pipes[VT_STDERR];
}

bool vt_streams_paused(const struct vt_command *command) {
  for (int stream = 0; stream < VT_STREAMS; stream++)
    if (command->pipes[stream] && command->pipes[stream]->paused) return true;
  return false;
}

/* Time while paused is not silence: the drain's clocks are moved on by it. */
static void resume_streams(struct vt_command *command) {
  int64_t held = vt_now() - command->paused_since;
  command->last_byte += held;
  command->phase_since += held;
  for (int stream = 0; stream < VT_STREAMS; stream++) {
    struct vt_pipe *pipe = command->pipes[stream];
    if (!pipe || !pipe->paused) continue;
    pipe->paused = false;
    watch(pipe);
  }
}

void vt_streams_consumed(struct vt_command *command, size_t bytes) {
  command->unconsumed -= bytes < command->unconsumed ? bytes : command->unconsumed;
  if (vt_streams_paused(command) && command->unconsumed <= WINDOW_BYTES / 2) resume_streams(command);
}

void vt_streams_take_rest(struct vt_command *command) {
  for (int stream = 0; stream < VT_STREAMS; stream++) {
    struct vt_pipe *pipe = command->pipes[stream];
    /* A terminal holds 64 KiB, but yields 4 KiB per read (linux/tty.h: N_TTY_BUF_SIZE). */
    ssize_t length = pipe ? 1 : 0;
    for (int reads = 20; length > 0 && reads > 0; reads--)
      if ((length = read(pipe->fd, buffer, sizeof buffer)) > 0) hand_out(pipe, (size_t)length);
  }
}

void vt_streams_release(struct vt_command *command, bool keep) {
  if (command->terminal) keep = false; /* the terminal closes: survivors get a hang-up (pty(7)) */
  vt_terminal_close(command);
  if (keep && vt_streams_paused(command)) resume_streams(command);
  for (int stream = 0; stream < VT_STREAMS; stream++) {
    struct vt_pipe *pipe = command->pipes[stream];
    if (!pipe) continue;
    if (keep) pipe->command = NULL;
    else close_pipe(pipe);
    command->pipes[stream] = NULL;
  }
}
