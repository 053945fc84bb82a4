/* What the running kernel offers, found out by trying. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct vt_probe_result {
  int trial_errno;       /* why no process could be started for now to try the rest; 0: tried */
  int landlock_abi;      /* 0: none */
  int landlock_errno;
  int landlock_errata;   /* bitmask */
  bool seccomp;          /* a filter can be installed */
  int seccomp_errno;     /* why not */
  bool listener;         /* a filter can have a notification listener */
  int listener_errno;    /* why not (EBUSY: this process runs beneath another listener) */
  bool listener_proves;  /* its hang-up comes when the last process ends, not only when that is reaped */
  int core_dumps_errno;  /* why core dumps cannot be prevented; 0: they can */
  bool limits;           /* prlimit(2) tells those of an ended process; not tried without a listener */
  bool pidfd;            /* clone(2) gives a pidfd */
  int getfd_errno;       /* why no process's descriptors can be borrowed (pidfd_getfd(2)); 0: they can, or no listener needs them */
  bool sessions;         /* setsid(2) makes a session; vitrine's filter may only pretend to */
  int yama;              /* kernel.yama.ptrace_scope, -1: no Yama */
};

/* Once per process; again where no process could be started for it. */
const struct vt_probe_result *vt_probe(void);

/* The SECCOMP_FILTER_FLAG_* that install a filter with a listener. */
uint32_t vt_probe_listener_flags(void);

/* Prevents core dumps of the calling process and its descendants: core(5); core_pattern in Documentation/admin-guide/sysctl/kernel.rst.
 * Runs between clone and exec, in the descriptor table of the host. Returns 0, or -1 with errno: EPROTONOSUPPORT if dumps go to a
 * socket, EPERM if they go to a program and no limit can stop that, else that of reading core_pattern. */
int vt_core_dumps_stop(void);
