/* One process start: clone, the steps of the recipe in the child, exec. */
#pragma once

#include "command.h"

/* Starts the command; fills pid, pidfd, listener, or failed_step and failed_errno. Launcher thread only. */
void vt_spawn(struct vt_command *command);
