/* SIGTERM at the deadline or by order, SIGKILL after the grace, even while JavaScript is busy. Supervisor thread. */
#pragma once

#include "base/command.h"

#define VT_NEVER INT64_MAX

/* Before the launch: sets the deadline in milliseconds from now. 0: neither deadline nor grace. */
void vt_deadline_set(struct vt_command *command, uint32_t timeout_ms, uint32_t grace_ms);

/* Asks the process group to end. Only the first cause counts. */
void vt_deadline_terminate(struct vt_command *command, bool at_deadline);

void vt_deadline_launched(const struct vt_command *command);

void vt_deadline_apply(struct vt_command *command);

int64_t vt_deadline_due(const struct vt_command *command);
