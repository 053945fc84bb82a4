/* What the running kernel offers, found out by trying. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct vt_probe_result {
  int landlock_abi;      /* 0: none */
  int landlock_errno;    /* why there is none */
  int landlock_errata;   /* bitmask */
  bool seccomp;          /* a filter can be installed */
  int seccomp_errno;     /* why not */
  bool listener;         /* a filter can be installed with a notification listener */
  int listener_errno;    /* why not (EBUSY: this process runs below another listener) */
  bool listener_proves;  /* its hang-up comes when the last process has ended, not only when that is reaped */
  int core_dumps_errno;  /* why they cannot be kept inside (core_dumps.h); 0: they can */
  bool pidfd;            /* clone(2) gives a pidfd */
  bool sessions;         /* setsid(2) makes a session, and does not only say so, as read mode's own filter does */
  int yama;              /* kernel.yama.ptrace_scope, -1: no Yama */
};

/* Tried once per process; later calls answer the same. */
const struct vt_probe_result *vt_probe(void);

/* SECCOMP_FILTER_FLAG_* to install the filter with, so that there is a listener. */
uint32_t vt_probe_listener_flags(void);
