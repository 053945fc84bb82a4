/* Calls of processes about themselves and others: signals, scheduling, limits, and those by which a process narrows its rights for good. */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/bpf_common.h>
#include <linux/filter.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/basics.h"
#include "base/procfs.h"
#include "base/watched.h"
#include "confine/confinement.h"
#include "notify/dispatch.h"
#include "supervise/supervise.h"

static void note(bool *flag) { __atomic_store_n(flag, true, __ATOMIC_RELEASE); }

/* The call goes on. */
void vt_handle_umask(struct vt_notification *notification) { note(&notification->listener->umask_varies); }

static void refuse(struct vt_notification *notification, int error) {
  notification->error = error;
  notification->counted = true;
}

/* Of the caller itself. Its number is in a register, so the call can go on. */
void vt_handle_scheduling(struct vt_notification *notification) {
  pid_t target = (pid_t)vt_argument(notification, notification->call->argument);
  if (target == notification->caller.thread || target == vt_caller_process(&notification->caller)) return;
  refuse(notification, EPERM);
  vt_describe(notification);
}

/* The call goes on; a SIGXFSZ may now come from the command's own limit. */
void vt_handle_file_limit(struct vt_notification *notification) { note(&notification->listener->limits_files); }

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
  char path[PATH_MAX];
  int number = 0, end = 0;
  if (vt_caller_path(caller, directory, path, sizeof path) <= 0) return NOT_KNOWN;
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
  if (target == -1) vt_say(notification, "every process");
  else vt_say(notification, target < 0 ? "group %d" : "pid %d", abs(target));
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

/* Signals to the command's own processes continue. From ABI 6 on Landlock checks again (LANDLOCK_SCOPE_SIGNAL). Below it this
 * check decides; the target is in a register, which cannot change. Without the scope pidfds are refused: one could be replaced after
 * the check. With it kill(-1) continues: the kernel picks the permitted targets. */
void vt_handle_signal(struct vt_notification *notification) {
  pid_t target = target_of(notification);
  bool scoped = notification->listener->confinement->abi >= SIGNAL_SCOPE_ABI;
  if (scoped && notification->call->call == VT_SYS_kill && target == -1) return;
  if (scoped || !is_by_pidfd(notification)) return judge_number(notification, target, scoped);
  notification->error = EPERM;
  notification->counted = signal_of(notification) != 0;
}

/*
 * landlock_restrict_self(2), capset(2), and seccomp(2) with a filter. The kernel does not tell which Landlock domain a process is in.
 * So before it enters one, bit 0 of its mark is cleared (base/watched.h). Other threads of the process, and those that it starts, have
 * that mark, too.
 */

/* False: it has no mark, or has ended. */
static bool bind_mark(struct vt_listener *listener, pid_t thread) {
  struct rlimit bound = {listener->mark, listener->mark};
  if (!listener->mark || mark_of(thread) != listener->mark) return false;
  note(&listener->has_domains);
  return prlimit(thread, RLIMIT_LOCKS, &bound, NULL) == 0;
}

/* Goes on once the bit is cleared: no process with it is in a domain. */
void vt_handle_own_domain(struct vt_notification *notification) {
  if (!bind_mark(notification->listener, notification->caller.thread)) refuse(notification, EPERM);
}

void vt_handle_capabilities(struct vt_notification *notification) { note(&notification->listener->capabilities_vary); }

static bool may_return_trace(const struct sock_filter *instruction) {
  if (BPF_CLASS(instruction->code) != BPF_RET) return false;
  return instruction->code != (BPF_RET | BPF_K) || (instruction->k & SECCOMP_RET_ACTION_FULL) == SECCOMP_RET_TRACE;
}

static bool has_trace(const struct sock_filter *filter, size_t length) {
  while (length > 0 && !may_return_trace(filter)) filter++, length--;
  return length > 0;
}

/* EFAULT and EINVAL are for the kernel to find. */
static int judge_filter(const struct vt_notification *notification) {
  struct sock_fprog program;
  ssize_t got = vt_caller_read(&notification->caller, vt_argument(notification, 2), &program, sizeof program);
  if (got != (ssize_t)sizeof program) return got < 0 && errno != EFAULT ? EACCES : 0;
  if (program.len == 0 || program.len > BPF_MAXINSNS) return 0;
  size_t size = program.len * sizeof *program.filter;
  struct sock_filter *filter = vt_must(malloc(size));
  got = vt_caller_read(&notification->caller, (uintptr_t)program.filter, filter, size);
  int error = got == (ssize_t)size ? (has_trace(filter, program.len) ? EINVAL : 0) : got < 0 && errno != EFAULT ? EACCES : 0;
  free(filter);
  return error;
}

/*
 * Of two filters the stricter action counts: all that refuse win over our notification, but for SECCOMP_RET_TRACE, which without a
 * tracer refuses with ENOSYS (seccomp(2)), and no process of a command has a tracer. A call that is notified would be made all the
 * same, so such a filter is refused. The process may change it after this look; it narrows only itself by it.
 */
void vt_handle_own_filter(struct vt_notification *notification) {
  int error = judge_filter(notification);
  if (error) refuse(notification, error);
}
