/* How a command is ended from here: it is asked at its deadline or by order, and killed when the grace is over. The supervisor's
 * clock, not JavaScript's: a host that computes ends its commands, too. Supervisor thread, but for the first. */
#pragma once

#include "base/command.h"

#define VT_NEVER INT64_MAX

/* Before the launch: sets the deadline so many milliseconds from now. 0: there is none, and no grace either. */
void vt_deadline_set(struct vt_command *command, uint32_t timeout_ms, uint32_t grace_ms);

/* Asks everybody of the group to end. Only the first cause counts. */
void vt_deadline_terminate(struct vt_command *command, bool at_deadline);

/* It runs: who was asked before is asked now. */
void vt_deadline_launched(const struct vt_command *command);

/* Does what is due. */
void vt_deadline_apply(struct vt_command *command);

/* When something is, in monotonic milliseconds; VT_NEVER. */
int64_t vt_deadline_due(const struct vt_command *command);
