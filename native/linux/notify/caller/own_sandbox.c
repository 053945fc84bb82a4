/*
 * Calls by which a process narrows its rights for good: landlock_restrict_self(2), capset(2), and seccomp(2) with a filter.
 *
 * The kernel does not tell which Landlock domain a process is in. So before it enters one, its hard RLIMIT_LOCKS is lowered as a
 * mark, which forks and programs inherit, and which only CAP_SYS_RESOURCE raises (getrlimit(2)); no command has that. Since Linux
 * 2.4.25 the kernel does not use this limit. Other threads of the process are marked, too. A process that lowers it itself only
 * loses what the notifier does.
 */
#define _GNU_SOURCE
#include "notify/caller/own_sandbox.h"

#include <errno.h>
#include <linux/bpf_common.h>
#include <linux/filter.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/memory.h"
#include "base/procfs.h"
#include "confine/capabilities.h"
#include "notify/dispatch.h"

/* Limits of this and higher ones are unmarked; 0: no process has a mark. The first caller's own, once and for all. */
static uint64_t unmarked_from(struct vt_listener *listener, uint64_t limit_of_caller) {
  uint64_t from = 0;
  __atomic_compare_exchange_n(&listener->unmarked_from, &from, limit_of_caller, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
  return from ? from : limit_of_caller;
}

/* 0, or an errno. A limit of 0 cannot be lowered. */
static int mark(struct vt_listener *listener, pid_t thread) {
  struct rlimit limit;
  if (prlimit(thread, RLIMIT_LOCKS, NULL, &limit)) return errno;
  if (limit.rlim_max == 0 && !__atomic_load_n(&listener->unmarked_from, __ATOMIC_ACQUIRE)) return EPERM;
  uint64_t from = unmarked_from(listener, limit.rlim_max);
  if (limit.rlim_max < from) return 0;
  limit.rlim_max = from - 1;
  if (limit.rlim_cur > limit.rlim_max) limit.rlim_cur = limit.rlim_max;
  return prlimit(thread, RLIMIT_LOCKS, &limit, NULL) ? errno : 0;
}

static bool is_marked(const struct vt_notification *notification) {
  uint64_t from = __atomic_load_n(&notification->listener->unmarked_from, __ATOMIC_ACQUIRE);
  struct rlimit limit;
  return from && (prlimit(notification->caller.thread, RLIMIT_LOCKS, NULL, &limit) || limit.rlim_max < from);
}

/* The only capability that a command of root has (launch/spawn.c), and the only one of the acting thread that opens files. */
bool vt_lacks_capability(const struct vt_notification *notification) {
  struct __user_cap_data_struct own[2];
  char status[8192];
  if (!__atomic_load_n(&notification->listener->capabilities_vary, __ATOMIC_ACQUIRE)) return false;
  if (vt_capabilities_read(own) == 0 && !(own[0].effective & 1u << CAP_DAC_READ_SEARCH)) return false;
  vt_procfs_read(notification->caller.thread, "status", status, sizeof status);
  return !(vt_bits_after(status, "\nCapEff:") & 1u << CAP_DAC_READ_SEARCH);
}

bool vt_has_own_sandbox(const struct vt_notification *notification) { return is_marked(notification) || vt_lacks_capability(notification); }

static void refuse(struct vt_notification *notification, int error) {
  notification->error = error;
  notification->counted = true;
}

/* Goes on once marked: no process is in a domain without the mark. */
void vt_handle_own_domain(struct vt_notification *notification) {
  int error = mark(notification->listener, notification->caller.thread);
  if (error) refuse(notification, EPERM);
}

void vt_handle_capabilities(struct vt_notification *notification) {
  __atomic_store_n(&notification->listener->capabilities_vary, true, __ATOMIC_RELEASE);
}

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
