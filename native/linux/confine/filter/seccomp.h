/* The seccomp filter of read and workspace mode: refuses what Landlock cannot see (metadata, ioctls, sockets, IPC, other
 * processes, the system). Everything else is left to Landlock. */
#pragma once

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <stdint.h>

#include "confine/filter/bpf.h"
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
  bool unix_sockets;  /* unix stream clients are allowed; the ruleset decides to which sockets (ABI 9) */
  bool workspace;     /* workspace mode: the notifier also carries calls out, by the caller's umask; needs report */
  bool report;        /* attempts to change something are notified (SECCOMP_RET_USER_NOTIF) */
};

/* Room for any filter; the kernel's own limit is BPF_MAXINSNS, 4096 (linux/bpf_common.h). */
#define VT_FILTER_MAX 1024

/* Returns the number of instructions, or -1 with errno: EINVAL (options), E2BIG. Does not allocate. */
int vt_filter_build(const struct vt_filter_options *options, struct sock_filter out[VT_FILTER_MAX]);

uint32_t vt_filter_native_arch(void);

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
