#define _GNU_SOURCE
#include "notify.h"

#include <errno.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "session.h"

/* linux/seccomp.h, 6.6 */
#define NOTIF_SET_FLAGS _IOW('!', 4, __u64)
enum { SYNC_WAKE_UP = 1 };

int vt_notify_events(const struct vt_command *command) {
  struct pollfd polled = {command->listener, POLLIN, 0};
  return command->listener >= 0 && poll(&polled, 1, 0) > 0 ? polled.revents : 0;
}

void vt_notify_tune(const struct vt_command *command) {
  ioctl(command->listener, NOTIF_SET_FLAGS, (unsigned long)SYNC_WAKE_UP); /* an older kernel does without */
}

/* A group never spans sessions (credentials(7)), so any member speaks for it. */
static bool is_ours(const struct vt_command *command, pid_t target) {
  if (target > 0) return getsid(target) == command->pid;
  if (target == 0) return true; /* its own group */
  return target < -1 && vt_session_has_group(command, -target);
}

/* The target stands in a register, so nothing can change it between the judgement and the call. A pidfd could be
 * replaced behind our back: pidfd_send_signal is refused. */
static bool may_signal(const struct vt_command *command, const struct seccomp_data *call) {
  pid_t target = (pid_t)call->args[0];
  switch (call->nr) {
    case SYS_kill:
      return is_ours(command, target);
    case SYS_tkill:
    case SYS_rt_sigqueueinfo:
      return target > 0 && is_ours(command, target);
    case SYS_tgkill:
    case SYS_rt_tgsigqueueinfo:
      return target > 0 && is_ours(command, target) && is_ours(command, (pid_t)call->args[1]);
    default:
      return false;
  }
}

void vt_notify_answer(struct vt_command *command) {
  struct seccomp_notif call;
  memset(&call, 0, sizeof call); /* anything but zeroes is EINVAL (seccomp_unotify(2)) */
  if (ioctl(command->listener, SECCOMP_IOCTL_NOTIF_RECV, &call)) return; /* its caller was killed meanwhile */
  struct seccomp_notif_resp answer = {.id = call.id, .error = -EPERM};
  if (may_signal(command, &call.data)) {
    answer.error = 0;
    answer.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
  }
  ioctl(command->listener, SECCOMP_IOCTL_NOTIF_SEND, &answer); /* ENOENT: its caller was killed meanwhile */
}
