/* The supervisor thread owns all commands; other threads send it the orders of core.h. */
#pragma once

#include <stdbool.h>

#include "base/command.h"

/* 0, or -1 with errno (no descriptor or thread left): may be tried again. */
int vt_supervisor_ready(void);

/* Before the command is queued for launch. */
void vt_supervisor_add(struct vt_command *command);

/* From the launcher: the command has started, or failed_step says why not. */
void vt_supervisor_launched(struct vt_command *command);
