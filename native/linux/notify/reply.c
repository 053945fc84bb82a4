#define _GNU_SOURCE
#include "notify/reply.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/seccomp.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "confine/confinement.h"
#include "notify/names/notice.h"

bool vt_call_still_waits(int listener, uint64_t id) { return ioctl(listener, SECCOMP_IOCTL_NOTIF_ID_VALID, &id) == 0; }

bool vt_caller_still_waits(const struct vt_notification *notification) {
  return vt_call_still_waits(notification->listener_fd, notification->notif.id);
}

bool vt_end_call(int listener, uint64_t id, int error) {
  struct seccomp_notif_resp response = {.id = id, .error = -error};
  return ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &response) == 0;
}

static void count(struct vt_notification *notification) {
  vt_caller_identify(&notification->caller, &notification->known);
  if (!vt_caller_still_waits(notification)) return;
  struct vt_denial refused = {
      .operation = notification->operation,
      .call = notification->call->call,
      .pid = notification->caller.process,
      .text = notification->has_text ? notification->text : NULL,
      .is_path = notification->is_path,
      .is_protected = notification->is_protected,
      .own_sandbox = notification->own_sandbox,
  };
  memcpy(refused.program, notification->caller.program, sizeof refused.program);
  vt_listener_count(notification->listener, &refused);
}

void vt_answer_with_descriptor(struct vt_notification *notification, int fd, uint32_t flags) {
  notification->send_fd = fd;
  notification->send_flags = flags & O_CLOEXEC;
  notification->error = fd < 0 ? errno : 0;
  notification->done = fd >= 0;
}

void vt_send_descriptor(int listener, uint64_t id, int fd, uint32_t flags) {
  struct seccomp_notif_addfd addfd = {
      .id = id,
      .flags = SECCOMP_ADDFD_FLAG_SEND,
      .srcfd = (uint32_t)fd,
      .newfd_flags = flags,
  };
  int failed = ioctl(listener, SECCOMP_IOCTL_NOTIF_ADDFD, &addfd) < 0 ? errno : 0;
  close(fd);
  if (failed && failed != ENOENT) vt_end_call(listener, id, failed); /* EMFILE: the caller's limit */
}

void vt_reply(struct vt_notification *notification) {
  vt_notice_reply(notification);
  if (notification->send_fd >= 0)
    return vt_send_descriptor(notification->listener_fd, notification->notif.id, notification->send_fd, notification->send_flags);
  struct seccomp_notif_resp response = {.id = notification->notif.id, .error = -notification->error, .val = notification->done ? notification->value : 0};
  if (notification->error == 0 && !notification->done) response.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
  else if (notification->error && notification->counted) count(notification);
  ioctl(notification->listener_fd, SECCOMP_IOCTL_NOTIF_SEND, &response); /* ENOENT: the caller was killed meanwhile */
}
