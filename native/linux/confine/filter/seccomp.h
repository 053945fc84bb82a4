/* The seccomp filter of read and workspace mode: refuses what Landlock cannot see (metadata, ioctls, sockets, IPC, other
 * processes, the system). Everything else is left to Landlock. */
#pragma once

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "confine/filter/syscalls.h"

struct vt_filter_options {
  uint32_t arch; /* AUDIT_ARCH_X86_64 or AUDIT_ARCH_AARCH64, linux/audit.h */
  int abi;       /* Landlock ABI in force, 1 or more: below 3 the filter refuses truncate(2), below 6 it handles signals */
  bool network;  /* plain TCP and UDP clients are allowed */
  bool proxied;  /* without `network`: TCP sockets, whose connect(2) is notified; needs judge */
  bool own_sockets; /* TCP sockets among the command's own processes, on loopback: the notifier ties them; needs judge */
  bool sessions; /* with own_sockets: setsid(2) and controlling terminals are real; the command's processes need a mark (base/watched.h) */
  bool judge;    /* bind(2), and below ABI 6 the kill family, are notified; else refused, except binds of netlink sockets */
  bool unwritable; /* nothing is writable: the filter refuses truncate(2) in place of the ruleset */
  bool terminal;      /* terminal settings may be changed: the command has its own terminal and reaches no other */
  bool workspace;     /* workspace mode: the notifier also carries calls out, by the caller's umask; needs report */
  bool report;        /* attempts to change something are notified (SECCOMP_RET_USER_NOTIF) */
};

/* Room for any filter; the kernel's own limit is BPF_MAXINSNS, 4096 (linux/bpf_common.h). */
#define VT_FILTER_MAX 1024

/* Returns the number of instructions, or -1 with errno: EINVAL (options), E2BIG. Does not allocate. */
int vt_filter_build(const struct vt_filter_options *options, struct sock_filter out[VT_FILTER_MAX]);

uint32_t vt_filter_native_arch(void);

/* Conditions, rules and verdicts, and their translation to classic BPF. A verdict answers one system call: the first rule
 * whose conditions all hold decides, else `otherwise`. */

enum vt_test {
  VT_TEST_NONE = 0, /* ends a rule's conditions */
  VT_TEST_ONE_OF,   /* (word & mask) is in `values` */
  VT_TEST_ANY_BIT,  /* (word & mask) is not 0 */
  VT_TEST_OLDER,    /* word is a process id, or a negated group id, lower than the session's */
};

/* An `int` is the low half: comparing all 64 bits would miss ioctl(fd, 1 << 32 | FS_IOC_SETFLAGS), which the kernel accepts. */
enum vt_half { VT_LOW = 0, VT_HIGH = 4 };

struct vt_condition {
  enum vt_test test;
  enum vt_half half;
  uint8_t argument;
  uint8_t count;
  uint32_t mask;
  const uint32_t *values;
};

#define VT_CONDITIONS_MAX 3
struct vt_rule {
  uint32_t when; /* bits of seccomp_groups.h, for the selection */
  struct vt_condition conditions[VT_CONDITIONS_MAX];
  uint32_t action;
};

struct vt_verdict {
  const struct vt_rule *rules;
  size_t count;
  uint32_t otherwise;
};

/* Stands for the session id in a built filter. Larger than any process id (PID_MAX_LIMIT, linux/threads.h). */
#define VT_ANY_SESSION 0x40000001u

/* Puts the session id in place of VT_ANY_SESSION, in the child that installs the filter. Async-signal-safe. */
void vt_bpf_settle(struct sock_filter *instructions, size_t length, uint32_t session);

bool vt_verdict_is_constant(const struct vt_verdict *verdict);

uint32_t vt_verdict_answer(const struct vt_verdict *verdict, const __u64 *arguments);

/* The whole filter: kills foreign architectures, tests `hot` first, then a balanced binary tree over numbers. `verdicts` has
 * one entry for each number from 0, VT_VERDICT_COUNT at most; its last is for all beyond. Returns the length, or -1 with E2BIG. */
struct vt_layout {
  uint32_t arch;
  int hot;
  const struct vt_verdict *const *verdicts;
  size_t count;
};
int vt_bpf_build(const struct vt_layout *layout, struct sock_filter *out, size_t capacity);

/* One verdict per reviewed number, and a last one for all others (x32 numbers and -1 too). */
#define VT_VERDICT_COUNT (VT_LAST_REVIEWED_SYSCALL + 2)

enum { VT_GROUPS_MAX = 64, VT_RULES_A_GROUP_MAX = 12 };

/* The verdicts for one set of options. Points into itself: never copy it. */
struct vt_rules {
  const struct vt_verdict *verdicts[VT_VERDICT_COUNT];
  struct vt_verdict of_group[VT_GROUPS_MAX];
  struct vt_rule of_verdict[VT_GROUPS_MAX][VT_RULES_A_GROUP_MAX];
};

void vt_rules_select(const struct vt_filter_options *options, struct vt_rules *rules);

uint32_t vt_rules_answer(const struct vt_rules *rules, const struct seccomp_data *call);
