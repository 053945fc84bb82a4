#define _GNU_SOURCE
#include "supervise/supervise.h"

#include <limits.h>

#include "base/basics.h"

/* The clock truncates to milliseconds: one is added, so that no command ends early. */
void vt_deadline_set(struct vt_command *command, uint32_t timeout_ms, uint32_t grace_ms) {
  command->deadline = timeout_ms ? vt_now() + timeout_ms + 1 : 0;
  command->grace_ms = grace_ms;
}

/* The leader has ended: what it left is being ended already. */
static bool is_over(const struct vt_command *command) {
  return command->killing || command->reported || command->phase >= VT_LINGERING;
}

void vt_deadline_terminate(struct vt_command *command, bool at_deadline) {
  if (command->terminated || is_over(command)) return;
  command->terminated = true;
  command->timed_out = at_deadline;
  command->grace_ends = vt_now() + command->grace_ms;
  if (command->phase != VT_LAUNCHING) vt_session_ask(command);
}

void vt_deadline_launched(const struct vt_command *command) {
  if (command->terminated) vt_session_ask(command);
}

/* Never during the launch: the process is not known yet, though it may run already. */
int vt_deadline_due_in(const struct vt_command *command) {
  bool is_timed = command->terminated ? command->grace_ms > 0 || command->deadline : command->deadline != 0;
  if (!is_timed || command->phase == VT_LAUNCHING || is_over(command)) return -1;
  int64_t due = (command->terminated ? command->grace_ends : command->deadline) - vt_now();
  return due > INT_MAX ? INT_MAX : due > 0 ? (int)due : 0;
}

void vt_deadline_apply(struct vt_command *command) {
  if (vt_deadline_due_in(command) != 0) return;
  if (command->terminated) command->killing = true;
  else vt_deadline_terminate(command, true);
}
