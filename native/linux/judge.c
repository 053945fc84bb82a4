#include "judge.h"

#include <errno.h>
#include <string.h>

#include "policy.h"
#include "private_files.h"

void vt_inquiry_open(struct vt_inquiry *inquiry, const struct seccomp_notif *notification, const struct vt_docket *docket) {
  inquiry->notification = *notification;
  inquiry->docket = docket;
  inquiry->call = vt_call_of(notification->data.nr);
  inquiry->rule = vt_rules_answer(&docket->policy->rules, &notification->data);
  inquiry->operation = vt_call_operation(inquiry->call, &notification->data);
  inquiry->caller = (struct vt_caller){.thread = (pid_t)notification->pid, .process = (pid_t)notification->pid};
  __atomic_store_n(&inquiry->given_known, false, __ATOMIC_RELAXED);
  __atomic_store_n(&inquiry->takes, false, __ATOMIC_RELAXED);
  inquiry->error = 0;
  inquiry->done = inquiry->waits = inquiry->counted = inquiry->has_text = inquiry->is_path = false;
  inquiry->limits_files = inquiry->asks_too_much = false;
}

static int rule_errno(const struct vt_inquiry *inquiry) { return (int)(inquiry->rule & SECCOMP_RET_DATA); }

void vt_judge(struct vt_inquiry *inquiry) {
  if (!vt_is_refused_by_rule(inquiry) && inquiry->call->judge) return inquiry->call->judge(inquiry);
  if (vt_is_refused_by_rule(inquiry) && vt_act_in_private(inquiry)) return;
  /* A call that the rules leave to others has a judge: if one had none, it would be refused. */
  inquiry->error = vt_is_refused_by_rule(inquiry) ? rule_errno(inquiry) : EPERM;
  inquiry->counted = !vt_is_name_service(inquiry);
  vt_describe(inquiry);
}

/* It goes on; whom it ends was not ended by a limit of ours. */
void vt_judge_file_limit(struct vt_inquiry *inquiry) { inquiry->limits_files = true; }

/* It goes on, and ends its caller (SIGXFSZ) where no file may have that size. */
void vt_judge_file_size(struct vt_inquiry *inquiry) {
  const __u64 *arguments = inquiry->notification.data.args;
  bool allocates = inquiry->call->call == VT_SYS_fallocate;
  uint64_t size = allocates ? arguments[2] + arguments[3] : arguments[1], most = inquiry->docket->most_file_bytes;
  inquiry->asks_too_much = most && size > most && size <= INT64_MAX;
}

void vt_judge_blindly(struct vt_inquiry *inquiry) {
  if (!vt_is_refused_by_rule(inquiry) && inquiry->call->quick) return inquiry->call->judge(inquiry);
  inquiry->error = vt_is_refused_by_rule(inquiry) ? rule_errno(inquiry) : EACCES;
  inquiry->counted = true;
  inquiry->has_text = inquiry->is_path = __atomic_load_n(&inquiry->given_known, __ATOMIC_ACQUIRE);
  if (inquiry->has_text) memcpy(inquiry->text, inquiry->given, sizeof inquiry->text);
}
