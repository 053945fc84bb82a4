/* The supervisor thread: it alone knows how commands stand. It reads their output, has their notifications answered, sees
 * their end, sweeps what they left, and tells the owner. Others reach it by orders. */
#pragma once

#include "base/command.h"

/* Starts what every command needs, once: 0, or -1 with errno where there is no descriptor or thread left; then it may be
 * tried again. */
int vt_supervisor_ready(void);

/* Takes a command over; call when it is ready, and before the command is queued for launch. */
void vt_supervisor_add(struct vt_command *command);

/* From the launcher: the command has started, or failed_step says why not. */
void vt_supervisor_launched(struct vt_command *command);

/* Orders for a command by id; one that has ended is none to obey. */
void vt_supervisor_terminate(uint32_t id, bool at_deadline); /* SIGTERM and SIGCONT to the group; members may then end by themselves */
void vt_supervisor_kill(uint32_t id);                 /* SIGKILL to everything the command started */
void vt_supervisor_signal(uint32_t id, int signal);   /* to the group */
void vt_supervisor_consumed(uint32_t id, size_t bytes);
void vt_supervisor_resize(uint32_t id, uint16_t columns, uint16_t rows); /* of its terminal */

/* The owner goes away: its commands are killed. */
void vt_supervisor_kill_all_of(struct vt_owner *owner);
