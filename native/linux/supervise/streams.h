/* A command's output: read from its pipes, passed to its owner, paused when the owner does not keep up. */
#pragma once

#include "base/command.h"

void vt_stream_read(struct vt_pipe *pipe);

void vt_streams_open(struct vt_command *command);
bool vt_streams_ended(const struct vt_command *command);
bool vt_streams_paused(const struct vt_command *command);

/* Monotonic milliseconds. */
int64_t vt_streams_last_byte(const struct vt_command *command);

/* The owner has consumed `bytes`: paused streams may resume. */
void vt_streams_consumed(struct vt_command *command, size_t bytes);

/* Holds the streams for the owner to hand them over to a store, which takes them, if it can start; NULL: none. */
void vt_streams_hold(struct vt_command *command);
void vt_streams_store(struct vt_command *command, struct vt_store *store);

/* The store's thread is over: its result goes to the owner, and the streams are read here again. */
void vt_streams_stored(struct vt_command *command);

/* True if the streams are neither held nor stored; else stops that, and is true once the thread is over. */
bool vt_streams_regain(struct vt_command *command);

/* Passes on what the pipes hold now, however much is unconsumed. */
void vt_streams_take_rest(struct vt_command *command);

/* The command has ended. Pipes that survivors still write to are read and discarded (`keep`), or closed. */
void vt_streams_release(struct vt_command *command, bool keep);
