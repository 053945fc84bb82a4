/* The seccomp filter of read mode: what Landlock cannot see (metadata, ioctls, sockets, IPC, other processes, the
 * system) is refused here. Everything else is allowed: Landlock decides on it. */
#pragma once

#include <linux/filter.h>
#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct vt_filter_options {
  uint32_t arch; /* AUDIT_ARCH_X86_64 or AUDIT_ARCH_AARCH64, linux/audit.h */
  int abi;       /* the Landlock ABI in force, 1 or more: below 3 the filter adds truncate, below 6 signals */
  bool network;  /* plain TCP and UDP clients let through */
  bool judge;    /* bind(2), and below ABI 6 the kill family, go to SECCOMP_RET_USER_NOTIF; else they are refused */
  bool unwritable; /* nothing is granted for writing: the ruleset need not handle truncating, the filter refuses truncate(2) */
  bool terminal;      /* the settings of a terminal may be changed: the command has one of its own, and reaches no other */
  bool unix_sockets;  /* clients of unix stream sockets let through: the ruleset says to which (ABI 9) */
  bool report;        /* whatever may be an attempt to change something goes to SECCOMP_RET_USER_NOTIF */
};

/* Room for any filter; the kernel's own limit is BPF_MAXINSNS, 4096 (linux/bpf_common.h). */
#define VT_FILTER_MAX 1024

/* Builds the filter. Returns the number of instructions, or -1 with errno: EINVAL (options), E2BIG. Allocates
 * nothing. */
int vt_filter_build(const struct vt_filter_options *options, struct sock_filter out[VT_FILTER_MAX]);

/* The AUDIT_ARCH_* of this very build. */
uint32_t vt_filter_native_arch(void);

#ifdef __cplusplus
}
#endif

