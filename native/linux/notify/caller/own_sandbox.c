/*
 * Calls by which a process narrows its rights for good: landlock_restrict_self(2), capset(2), and seccomp(2) with a filter.
 *
 * The kernel does not tell which Landlock domain a process is in. So before it enters one, bit 0 of its mark is cleared (base/watched.h). Other
 * threads of the process, and those that it starts, have that mark, too.
 */
#define _GNU_SOURCE
#include "notify/caller/own_sandbox.h"

#include <errno.h>
#include <linux/bpf_common.h>
#include <linux/filter.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/watched.h"
#include "base/basics.h"
#include "base/procfs.h"
#include "confine/capabilities.h"
#include "notify/dispatch.h"

/* False: it has no mark, or has ended. */
static bool bind_mark(struct vt_listener *listener, pid_t thread) {
  struct rlimit bound = {listener->mark, listener->mark};
  if (!listener->mark || mark_of(thread) != listener->mark) return false;
  __atomic_store_n(&listener->has_domains, true, __ATOMIC_RELEASE);
  return prlimit(thread, RLIMIT_LOCKS, &bound, NULL) == 0;
}

static bool has_domain(const struct vt_notification *notification) {
  const struct vt_listener *listener = notification->listener;
  if (!__atomic_load_n(&listener->has_domains, __ATOMIC_ACQUIRE)) return false;
  return mark_limit_of(notification->caller.thread) != (listener->mark | MARK_UNBOUND);
}

/* The only capability that a command of root has (launch/child.c), and the only one of the acting thread that opens files. */
bool vt_lacks_capability(const struct vt_notification *notification) {
  struct __user_cap_data_struct own[2];
  char status[8192];
  if (!__atomic_load_n(&notification->listener->capabilities_vary, __ATOMIC_ACQUIRE)) return false;
  if (vt_capabilities_read(own) == 0 && !(own[0].effective & 1u << CAP_DAC_READ_SEARCH)) return false;
  vt_procfs_read(notification->caller.thread, "status", status, sizeof status);
  return !(vt_bits_after(status, "\nCapEff:") & 1u << CAP_DAC_READ_SEARCH);
}

bool vt_has_own_sandbox(const struct vt_notification *notification) { return has_domain(notification) || vt_lacks_capability(notification); }

static void refuse(struct vt_notification *notification, int error) {
  notification->error = error;
  notification->counted = true;
}

/* Goes on once the bit is cleared: no process with it is in a domain. */
void vt_handle_own_domain(struct vt_notification *notification) {
  if (!bind_mark(notification->listener, notification->caller.thread)) refuse(notification, EPERM);
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
