/* SIGTERM at the deadline or by order, SIGKILL after the grace, even while JavaScript is busy. Supervisor thread. */
#pragma once

#include "base/command.h"

/* Before the launch: sets the deadline in milliseconds from now. 0: neither deadline nor grace. */
void vt_deadline_set(struct vt_command *command, uint32_t timeout_ms, uint32_t grace_ms);

/* Only the first cause counts. */
void vt_deadline_terminate(struct vt_command *command, bool at_deadline);

void vt_deadline_launched(const struct vt_command *command);

void vt_deadline_apply(struct vt_command *command);

/* Milliseconds until vt_deadline_apply() is due again; -1: never. */
int vt_deadline_due_in(const struct vt_command *command);
