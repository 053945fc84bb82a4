/* The supervisor thread owns all commands: reads output, sees ends, sweeps survivors, relieves stuck notifiers, reports to
 * the owner. Other threads send it orders. */
#pragma once

#include "base/command.h"

/* Starts what every command needs, once. 0, or -1 with errno (no descriptor or thread left): may be tried again. */
int vt_supervisor_ready(void);

/* Takes over a prepared command; call before it is queued for launch. */
void vt_supervisor_add(struct vt_command *command);

/* From the launcher: the command has started, or failed_step says why not. */
void vt_supervisor_launched(struct vt_command *command);

/* Orders for a command by id; ignored once it has ended. */
void vt_supervisor_terminate(uint32_t id, bool at_deadline); /* SIGTERM and SIGCONT to the group; grace for the members */
void vt_supervisor_kill(uint32_t id);                 /* SIGKILL to all processes of the command */
void vt_supervisor_signal(uint32_t id, int signal);
void vt_supervisor_consumed(uint32_t id, size_t bytes);
void vt_supervisor_resize(uint32_t id, uint16_t columns, uint16_t rows);

void vt_supervisor_kill_all_of(struct vt_owner *owner);
