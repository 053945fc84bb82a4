/* The supervisor thread owns all commands: reads output, sees ends, sweeps survivors, relieves stuck notifiers, reports to
 * the owner. Other threads send it the orders of core.h. */
#pragma once

#include "base/command.h"

/* Starts what every command needs, once. 0, or -1 with errno (no descriptor or thread left): may be tried again. */
int vt_supervisor_ready(void);

/* Takes over a prepared command; call before it is queued for launch. */
void vt_supervisor_add(struct vt_command *command);

/* From the launcher: the command has started, or failed_step says why not. */
void vt_supervisor_launched(struct vt_command *command);
