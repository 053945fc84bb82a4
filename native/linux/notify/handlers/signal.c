/* Signals to the command's own processes continue. From ABI 6 on Landlock checks again (LANDLOCK_SCOPE_SIGNAL). Below it this
 * check decides; the target is in a register, which cannot change. */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "notify/dispatch.h"
#include "confine/confinement.h"
#include "base/watched.h"
#include "base/procfs.h"
#include "supervise/supervise.h"

enum whose { OURS, FOREIGN, NO_PROCESS };

enum { SIGNAL_SCOPE_ABI = 6 };

static enum whose whose_process(const struct vt_notification *notification, pid_t target) {
  if (getsid(target) < 0) return NO_PROCESS;
  return mark_tells(notification->listener->mark, notification->listener->session, target) ? OURS : FOREIGN;
}

/* A group never spans sessions (credentials(7)), so one member decides. */
static enum whose whose_group(const struct vt_notification *notification, pid_t group) {
  if (vt_session_has_group(notification->listener->session, notification->listener->mark, group)) return OURS;
  return kill(-group, 0) && errno == ESRCH ? NO_PROCESS : FOREIGN;
}

/* linux/pidfd.h: PIDFD_SELF_THREAD, PIDFD_SELF_THREAD_GROUP, Linux 6.14 */
enum { PIDFD_SELF_THREAD = -10000, PIDFD_SELF_PROCESS = -10001, NOT_KNOWN = 0 };

static pid_t number_in_pidfd(const struct vt_caller *caller, int pidfd) {
  char name[32], text[512];
  snprintf(name, sizeof name, "fdinfo/%d", pidfd);
  vt_procfs_read(caller->thread, name, text, sizeof text);
  return (pid_t)vt_number_after(text, "\nPid:"); /* NOT_KNOWN where there is no such line */
}

/* A /proc/PID directory serves as a pidfd too (pidfd_send_signal(2)). */
static pid_t number_in_directory(const struct vt_caller *caller, int directory) {
  char name[32], path[PATH_MAX];
  int number = 0, end = 0;
  snprintf(name, sizeof name, "fd/%d", directory);
  if (vt_caller_link(caller, name, path, sizeof path) <= 0) return NOT_KNOWN;
  sscanf(path, "/proc/%d%n", &number, &end);
  return end > 0 && path[end] == 0 ? number : NOT_KNOWN;
}

/* The process of a pidfd; -1: it has ended (proc_pid_fdinfo(5)). */
static pid_t number_behind(const struct vt_caller *caller, int pidfd) {
  if (pidfd == PIDFD_SELF_THREAD || pidfd == PIDFD_SELF_PROCESS) return caller->thread;
  pid_t number = number_in_pidfd(caller, pidfd);
  return number == NOT_KNOWN ? number_in_directory(caller, pidfd) : number;
}

static bool is_by_pidfd(const struct vt_notification *notification) { return notification->call->call == VT_SYS_pidfd_send_signal; }

static pid_t target_of(const struct vt_notification *notification) {
  pid_t named = (pid_t)notification->notif.data.args[0];
  return is_by_pidfd(notification) ? number_behind(&notification->caller, named) : named;
}

static enum whose whose_target(const struct vt_notification *notification, pid_t target) {
  const __u64 *arguments = notification->notif.data.args;
  switch (notification->call->call) {
    case VT_SYS_kill:
      if (target == 0) return OURS; /* the caller's own group */
      return target > 0 ? whose_process(notification, target) : target == -1 ? FOREIGN : whose_group(notification, -target);
    case VT_SYS_tgkill:
    case VT_SYS_rt_tgsigqueueinfo:
      if (target > 0 && (pid_t)arguments[1] > 0 && whose_process(notification, target) == OURS)
        return whose_process(notification, (pid_t)arguments[1]);
      return target > 0 ? whose_process(notification, target) : NO_PROCESS;
    default:
      return target > 0 ? whose_process(notification, target) : NO_PROCESS;
  }
}

/* The signal number; 0 only tests for existence (kill(2)). */
static int signal_of(const struct vt_notification *notification) {
  bool has_thread = notification->call->call == VT_SYS_tgkill || notification->call->call == VT_SYS_rt_tgsigqueueinfo;
  return (int)notification->notif.data.args[has_thread ? 2 : 1];
}

static void name_target(struct vt_notification *notification, pid_t target) {
  notification->has_text = true;
  if (target == -1) snprintf(notification->text, sizeof notification->text, "every process");
  else if (target < 0) snprintf(notification->text, sizeof notification->text, "group %d", -target);
  else snprintf(notification->text, sizeof notification->text, "pid %d", target);
}

/* A process and its group share a session, so this covers the pidfd's group too (PIDFD_SIGNAL_PROCESS_GROUP). */
static void judge_number(struct vt_notification *notification, pid_t target, bool scoped) {
  enum whose whose = whose_target(notification, target);
  if (whose == OURS || (whose == NO_PROCESS && scoped)) return;
  notification->error = whose == NO_PROCESS ? ESRCH : EPERM;
  /* Signals that we may not send either are refused for other reasons: not reported. */
  bool possible = target == -1 || kill(target, 0) == 0;
  notification->counted = whose == FOREIGN && signal_of(notification) != 0 && possible;
  name_target(notification, target);
}

/* Never blocks. Without the scope pidfds are refused: one could be replaced after the check. With it kill(-1) continues: the
 * kernel picks the permitted targets. */
void vt_handle_signal(struct vt_notification *notification) {
  pid_t target = target_of(notification);
  bool scoped = notification->listener->confinement->abi >= SIGNAL_SCOPE_ABI;
  if (scoped && notification->call->call == VT_SYS_kill && target == -1) return;
  if (scoped || !is_by_pidfd(notification)) return judge_number(notification, target, scoped);
  notification->error = EPERM;
  notification->counted = signal_of(notification) != 0;
}
