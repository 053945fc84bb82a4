/* The launcher threads, of which mostly one is at work. The JavaScript thread never waits for clone(2), and PR_SET_PDEATHSIG
 * refers to a thread that never ends. */
#pragma once

#include "base/command.h"

int vt_launcher_ready(void);

/* The supervisor is told when it has started or failed. */
void vt_launcher_queue(struct vt_command *command);
