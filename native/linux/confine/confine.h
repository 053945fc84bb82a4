/* What confines a command: its policy, from what was asked for. */
#pragma once

#include "base/command.h"

/*
 * Takes the policy of a confined command. Reads directories, which may take long or never end: any thread but JavaScript's.
 * Returns 0, or -1 with errno, and *step says at what it failed: then the command must not start.
 */
int vt_confine(struct vt_command *command, enum vt_step *step);
