/* The output of a command: read from its pipes, handed to its owner, held back when the owner does not keep up. */
#pragma once

#include "base/command.h"

/* Reads once from a pipe that is ready; closes it at its end. */
void vt_stream_read(struct vt_pipe *pipe);

void vt_streams_open(struct vt_command *command);
bool vt_streams_ended(const struct vt_command *command);
bool vt_streams_paused(const struct vt_command *command);

/* The owner has taken `bytes`: what was held back may flow again. */
void vt_streams_consumed(struct vt_command *command, size_t bytes);

/* Hands out what stands in the pipes now, however much the owner still has to consume. */
void vt_streams_take_rest(struct vt_command *command);

/* The command has ended. Pipes that somebody still writes to are read into the void (`keep`), or closed. */
void vt_streams_release(struct vt_command *command, bool keep);
