/* The phases of a command: running, draining, sweeping, ending. Supervisor thread only. */
#pragma once

#include "command.h"

/* Takes every step that is due; true when the command has ended and can be freed. */
bool vt_advance(struct vt_command *command);

/* Milliseconds until the command needs another look by the clock, -1: never. */
int vt_due_in(const struct vt_command *command);
