/* A command's output: read from its pipes, passed to its owner, paused when the owner does not keep up. */
#pragma once

#include "base/command.h"

void vt_stream_read(struct vt_pipe *pipe);

void vt_streams_open(struct vt_command *command);
bool vt_streams_ended(const struct vt_command *command);
bool vt_streams_paused(const struct vt_command *command);

/* Monotonic milliseconds. */
int64_t vt_streams_last_byte(const struct vt_command *command);

/* Paused streams may resume. */
void vt_streams_consumed(struct vt_command *command, size_t bytes);

/* Holds the streams until the owner hands them over to a store; NULL: it does not. */
void vt_streams_hold(struct vt_command *command);
void vt_streams_store(struct vt_command *command, struct vt_store *store);

/* The store is over: the streams are read here again. */
void vt_streams_stored(struct vt_command *command);

/* Ends holding and storing; true once the streams are read here again. */
bool vt_streams_regain(struct vt_command *command);

/* Passes on what the pipes hold now, however much is unconsumed. */
void vt_streams_take_rest(struct vt_command *command);

/* The command has ended. `keep`: pipes that survivors write to are read and discarded, else closed. */
void vt_streams_release(struct vt_command *command, bool keep);
