/* What read mode answers to each system call, as data. */
#pragma once

#include "bpf.h"
#include "seccomp.h"
#include "syscalls.h"

/* One verdict for every reviewed number, and a last one for all beyond (x32 numbers and -1 among them). */
#define VT_VERDICT_COUNT (VT_LAST_REVIEWED_SYSCALL + 2)

void vt_rules_select(const struct vt_filter_options *options, const struct vt_verdict *verdicts[VT_VERDICT_COUNT]);

