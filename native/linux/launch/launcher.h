/* The launcher threads, one of which is on duty: it clones one command after the other, so that the JavaScript thread never waits
 * for a clone, and PR_SET_PDEATHSIG is bound to a thread that lives as long as the process. */
#pragma once

#include "base/command.h"

/* As vt_supervisor_ready(). */
int vt_launcher_ready(void);

/* Queues a command; the supervisor hears of it when it has started or could not. */
void vt_launcher_queue(struct vt_command *command);
