/* Signals: those to the command's own session go on. From ABI 6 on Landlock judges them again (LANDLOCK_SCOPE_SIGNAL);
 * below, this is what holds them: the target stands in a register, so nothing can change it after the judgement. */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "judge.h"
#include "policy.h"
#include "session.h"

enum whose { OURS, FOREIGN, NOBODYS };

enum { SIGNAL_SCOPE_ABI = 6 };

static enum whose whose_process(const struct vt_inquiry *inquiry, pid_t target) {
  pid_t session = getsid(target);
  return session < 0 ? NOBODYS : session == inquiry->docket->session ? OURS : FOREIGN;
}

/* A group never spans sessions (credentials(7)), so any member speaks for it. */
static enum whose whose_group(const struct vt_inquiry *inquiry, pid_t group) {
  if (vt_session_has_group(inquiry->docket->session, group)) return OURS;
  return kill(-group, 0) && errno == ESRCH ? NOBODYS : FOREIGN;
}

static enum whose whose_target(const struct vt_inquiry *inquiry, pid_t target) {
  const __u64 *arguments = inquiry->notification.data.args;
  switch (inquiry->call->call) {
    case VT_SYS_kill:
      if (target == 0) return OURS; /* its own group */
      return target > 0 ? whose_process(inquiry, target) : target == -1 ? FOREIGN : whose_group(inquiry, -target);
    case VT_SYS_tgkill:
    case VT_SYS_rt_tgsigqueueinfo:
      if (target > 0 && (pid_t)arguments[1] > 0 && whose_process(inquiry, target) == OURS)
        return whose_process(inquiry, (pid_t)arguments[1]);
      return target > 0 ? whose_process(inquiry, target) : NOBODYS;
    case VT_SYS_tkill:
    case VT_SYS_rt_sigqueueinfo:
      return target > 0 ? whose_process(inquiry, target) : NOBODYS;
    default:
      return FOREIGN; /* a pidfd could be replaced behind our back */
  }
}

/* Which argument is the signal: 0 is a question, not a signal (kill(2)). */
static int signal_of(const struct vt_inquiry *inquiry) {
  bool has_thread = inquiry->call->call == VT_SYS_tgkill || inquiry->call->call == VT_SYS_rt_tgsigqueueinfo;
  return (int)inquiry->notification.data.args[has_thread ? 2 : 1];
}

static void name_target(struct vt_inquiry *inquiry, pid_t target) {
  inquiry->has_text = true;
  if (target == -1) snprintf(inquiry->text, sizeof inquiry->text, "every process");
  else if (target < 0) snprintf(inquiry->text, sizeof inquiry->text, "group %d", -target);
  else snprintf(inquiry->text, sizeof inquiry->text, "pid %d", target);
}

/* To everyone, or by a pidfd: with the scope the kernel picks those that may be signalled. */
static bool is_left_to_scope(const struct vt_inquiry *inquiry, pid_t target) {
  return inquiry->call->call == VT_SYS_pidfd_send_signal || (inquiry->call->call == VT_SYS_kill && target == -1);
}

void vt_judge_signal(struct vt_inquiry *inquiry) {
  pid_t target = (pid_t)inquiry->notification.data.args[0];
  bool scoped = inquiry->docket->policy->abi >= SIGNAL_SCOPE_ABI;
  if (scoped && is_left_to_scope(inquiry, target)) return;
  enum whose whose = whose_target(inquiry, target);
  if (whose == OURS || (whose == NOBODYS && scoped)) return;
  inquiry->error = whose == NOBODYS ? ESRCH : EPERM;
  /* What we could not signal either is refused for other reasons than ours. */
  bool by_pidfd = inquiry->call->call == VT_SYS_pidfd_send_signal;
  bool possible = by_pidfd || target == -1 || kill(target, 0) == 0;
  inquiry->counted = whose == FOREIGN && signal_of(inquiry) != 0 && possible;
  if (!by_pidfd) name_target(inquiry, target);
}
