/* The launcher threads, normally one at work: the JavaScript thread never waits for a clone, and PR_SET_PDEATHSIG is bound to
 * a thread that lives as long as the process. */
#pragma once

#include "base/command.h"

int vt_launcher_ready(void);

/* Queues a command; the supervisor is told when it has started or failed. */
void vt_launcher_queue(struct vt_command *command);
