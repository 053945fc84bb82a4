/* A command's output: read from its pipes, passed to its owner, paused when the owner does not keep up. */
#pragma once

#include "base/command.h"

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
