#define _GNU_SOURCE
#include "answer.h"

#include <linux/seccomp.h>
#include <string.h>
#include <sys/ioctl.h>

#include "policy.h"
#include "waiters.h"

bool vt_waits_at(int listener, const struct vt_inquiry *inquiry) {
  __u64 id = inquiry->notification.id;
  return ioctl(listener, SECCOMP_IOCTL_NOTIF_ID_VALID, &id) == 0;
}

bool vt_still_waits(const struct vt_docket *docket, const struct vt_inquiry *inquiry) {
  return vt_waits_at(docket->listener, inquiry);
}

static void count(struct vt_docket *docket, struct vt_inquiry *inquiry) {
  vt_caller_identify(&inquiry->caller, &inquiry->callers);
  if (!vt_still_waits(docket, inquiry)) return;
  struct vt_denial refused = {
      .operation = inquiry->operation,
      .call = inquiry->call->call,
      .pid = inquiry->caller.process,
      .text = inquiry->has_text ? inquiry->text : NULL,
      .is_path = inquiry->is_path,
  };
  memcpy(refused.program, inquiry->caller.program, sizeof refused.program);
  vt_docket_count(docket, &refused);
}

void vt_answer(struct vt_docket *docket, struct vt_inquiry *inquiry) {
  if (inquiry->waits && vt_waiters_add(docket, inquiry)) return;
  struct seccomp_notif_resp response = {.id = inquiry->notification.id, .error = -inquiry->error};
  if (inquiry->error == 0 && !inquiry->done) response.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
  else if (inquiry->error && inquiry->counted && docket->policy->report) count(docket, inquiry);
  if (inquiry->asks_too_much) __atomic_store_n(&docket->asks_too_much, true, __ATOMIC_RELAXED);
  if (inquiry->limits_files) __atomic_store_n(&docket->limits_files, true, __ATOMIC_RELAXED);
  ioctl(docket->listener, SECCOMP_IOCTL_NOTIF_SEND, &response); /* ENOENT: its caller was killed meanwhile */
}
