/* Notifications of the filter: below Landlock ABI 6 the supervisor judges who may be signalled. */
#pragma once

#include <stdbool.h>

#include "command.h"

/* What poll(2) tells of the command's listener: POLLIN a call waits, POLLHUP nobody is left under the filter. */
int vt_notify_events(const struct vt_command *command);

/* Answers one waiting call. Never blocks. */
void vt_notify_answer(struct vt_command *command);

/* Asks for a wake-up on the notifier's processor: 4 us a call instead of 30 (6.6+, seccomp_unotify(2)). */
void vt_notify_tune(const struct vt_command *command);
