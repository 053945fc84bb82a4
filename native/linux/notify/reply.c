#define _GNU_SOURCE
#include "notify/reply.h"

#include <linux/seccomp.h>
#include <string.h>
#include <sys/ioctl.h>

#include "confine/confinement.h"
#include "notify/handlers/flock_wait.h"

bool vt_caller_still_waits_at(int listener, const struct vt_notification *notification) {
  __u64 id = notification->notif.id;
  return ioctl(listener, SECCOMP_IOCTL_NOTIF_ID_VALID, &id) == 0;
}

bool vt_caller_still_waits(const struct vt_listener *listener, const struct vt_notification *notification) {
  return vt_caller_still_waits_at(listener->fd, notification);
}

static void count(struct vt_listener *listener, struct vt_notification *notification) {
  vt_caller_identify(&notification->caller, &notification->known);
  if (!vt_caller_still_waits(listener, notification)) return;
  struct vt_denial refused = {
      .operation = notification->operation,
      .call = notification->call->call,
      .pid = notification->caller.process,
      .text = notification->has_text ? notification->text : NULL,
      .is_path = notification->is_path,
  };
  memcpy(refused.program, notification->caller.program, sizeof refused.program);
  vt_listener_count(listener, &refused);
}

void vt_reply(struct vt_listener *listener, struct vt_notification *notification) {
  if (notification->waits && vt_flock_wait_add(listener, notification)) return;
  struct seccomp_notif_resp response = {.id = notification->notif.id, .error = -notification->error};
  if (notification->error == 0 && !notification->done) response.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
  else if (notification->error && notification->counted) count(listener, notification);
  if (notification->asks_too_much) __atomic_store_n(&listener->asks_too_much, true, __ATOMIC_RELAXED);
  if (notification->limits_files) __atomic_store_n(&listener->limits_files, true, __ATOMIC_RELAXED);
  ioctl(listener->fd, SECCOMP_IOCTL_NOTIF_SEND, &response); /* ENOENT: the caller was killed meanwhile */
}
