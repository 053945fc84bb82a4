#pragma once

#include <linux/seccomp.h>

#include "confine/filter/bpf.h"
#include "confine/filter/seccomp.h"
#include "confine/filter/syscalls.h"

/* One verdict per reviewed number, and a last one for all others (x32 numbers and -1 too). */
#define VT_VERDICT_COUNT (VT_LAST_REVIEWED_SYSCALL + 2)

enum { VT_GROUPS_MAX = 64, VT_RULES_A_GROUP_MAX = 12, VT_MERGED_VALUES_MAX = 128 };

/* The verdicts for one set of options. Points into itself: never copy it. */
struct vt_rules {
  const struct vt_verdict *verdicts[VT_VERDICT_COUNT];
  struct vt_verdict of_group[VT_GROUPS_MAX];
  struct vt_rule of_verdict[VT_GROUPS_MAX][VT_RULES_A_GROUP_MAX];
  uint32_t merged[VT_MERGED_VALUES_MAX];
  size_t merged_count;
};

void vt_rules_select(const struct vt_filter_options *options, struct vt_rules *rules);

uint32_t vt_rules_answer(const struct vt_rules *rules, const struct seccomp_data *call);
