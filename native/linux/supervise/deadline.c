#define _GNU_SOURCE
#include "supervise/deadline.h"

#include <limits.h>
#include <signal.h>

#include "base/clock.h"
#include "supervise/session.h"

/* The clock truncates to milliseconds: one is added, so that no command ends early. */
void vt_deadline_set(struct vt_command *command, uint32_t timeout_ms, uint32_t grace_ms) {
  command->deadline = timeout_ms ? vt_now() + timeout_ms + 1 : 0;
  command->grace_ms = grace_ms;
}

static void ask(const struct vt_command *command) {
  vt_session_signal(command, SIGTERM);
  if (command->terminal) vt_session_signal(command, SIGHUP); /* an interactive shell ignores SIGTERM, and passes SIGHUP on */
  vt_session_signal(command, SIGCONT); /* a stopped group would not handle SIGTERM */
}

void vt_deadline_terminate(struct vt_command *command, bool at_deadline) {
  if (command->terminated || command->killing || command->reported) return;
  command->terminated = true;
  command->timed_out = at_deadline;
  command->grace_ends = vt_now() + command->grace_ms;
  if (command->phase != VT_LAUNCHING) ask(command);
}

void vt_deadline_launched(const struct vt_command *command) {
  if (command->terminated) ask(command);
}

/* Never during the launch: the process is not known yet, though it may run already. */
int vt_deadline_due_in(const struct vt_command *command) {
  if (!command->deadline || command->phase == VT_LAUNCHING || command->killing || command->reported) return -1;
  int64_t due = (command->terminated ? command->grace_ends : command->deadline) - vt_now();
  return due > INT_MAX ? INT_MAX : due > 0 ? (int)due : 0;
}

void vt_deadline_apply(struct vt_command *command) {
  if (vt_deadline_due_in(command) != 0) return;
  if (command->terminated) command->killing = true;
  else vt_deadline_terminate(command, true);
}
