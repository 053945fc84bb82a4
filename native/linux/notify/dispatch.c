#define _GNU_SOURCE
#include "notify/dispatch.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/ioctl.h>

#include "confine/confinement.h"
#include "notify/handlers/workspace_ops.h"

bool vt_notification_receive(struct vt_notification *notification, struct vt_listener *listener) {
  struct seccomp_notif *notif = &notification->notif;
  memset(notif, 0, sizeof *notif); /* must be zeroed, else EINVAL (seccomp_unotify(2)) */
  if (ioctl(listener->fd, SECCOMP_IOCTL_NOTIF_RECV, notif)) return false;
  memset(&notification->listener, 0, offsetof(struct vt_notification, given) - offsetof(struct vt_notification, listener));
  notification->given[0] = notification->text[0] = 0;
  notification->listener = listener;
  notification->call = vt_call_of(notif->data.nr);
  notification->rule = vt_rules_answer(&listener->confinement->rules, &notif->data);
  notification->operation = vt_call_operation(notification->call, &notif->data);
  notification->caller = (struct vt_caller){.thread = (pid_t)notif->pid, .process = (pid_t)notif->pid};
  notification->send_fd = -1;
  return true;
}

static int rule_errno(const struct vt_notification *notification) { return (int)(notification->rule & SECCOMP_RET_DATA); }

void vt_dispatch(struct vt_notification *notification) {
  if (!vt_is_refused_by_rule(notification) && notification->call->judge) return notification->call->judge(notification);
  if (vt_is_refused_by_rule(notification) && vt_private_gate(notification)) return;
  if (vt_names_closed(notification)) {
    notification->error = EBADF;
    return;
  }
  /* A call that the rules leave open always has a handler; the EPERM is a safeguard. */
  notification->error = vt_is_refused_by_rule(notification) ? rule_errno(notification) : EPERM;
  notification->counted = !vt_is_nss_lookup(notification);
  vt_describe(notification);
}

static void count(struct vt_notification *notification) {
  vt_caller_identify(&notification->caller);
  if (!vt_caller_still_waits(notification)) return;
  struct vt_denial refused = {
      .operation = notification->operation,
      .call = notification->call->call,
      .pid = notification->caller.process,
      .text = notification->text[0] ? notification->text : NULL,
      .is_path = notification->is_path,
      .is_protected = notification->is_protected,
      .own_sandbox = notification->own_sandbox,
  };
  memcpy(refused.program, notification->caller.program, sizeof refused.program);
  vt_listener_count(notification->listener, &refused);
}

void vt_reply(struct vt_notification *notification) {
  vt_notice_reply(notification);
  if (notification->send_fd >= 0)
    return vt_send_descriptor(notification->listener->fd, notification->notif.id, notification->send_fd, notification->send_flags);
  struct seccomp_notif_resp response = {.id = notification->notif.id, .error = -notification->error, .val = notification->done ? notification->value : 0};
  if (notification->error == 0 && !notification->done) response.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
  else if (notification->error && notification->counted) count(notification);
  ioctl(notification->listener->fd, SECCOMP_IOCTL_NOTIF_SEND, &response); /* ENOENT: the caller was killed meanwhile */
}
