/* The phases of a command: launching, running, draining, lingering, sweeping, ending. Supervisor thread only. */
#pragma once

#include "base/command.h"

/* Takes every step that is due; true when the command has ended and can be freed. */
bool vt_lifecycle_advance(struct vt_command *command);

/* Milliseconds until vt_lifecycle_advance() is due again; -1: never. */
int vt_lifecycle_due_in(const struct vt_command *command);
