#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core.h"
#include "limits/cgroup.h"
#include "limits/process_set.h"
#include "limits/usage.h"

enum vt_limit { VT_LIMIT_NONE, VT_LIMIT_MEMORY, VT_LIMIT_CPU, VT_LIMIT_PROCESSES, VT_LIMIT_PRIVATE_TMP, VT_LIMIT_EPOLL_WATCHES };

struct vt_limit_subject {
  struct vt_limits limits;
  char cookie[64];
  char **directories;
  char cgroup[VT_CGROUP_NAME];
  struct vt_cgroup_state kernel;
  struct vt_process_set members;
  struct vt_memory memory;
  struct vt_cpu cpu;
};

struct vt_reading {
  bool over;
  int64_t calm; /* nanoseconds for which the limit should hold, whatever the command does */
};

struct vt_reading vt_limit_check(struct vt_limit_subject *subject, enum vt_limit limit);

/* The same for a private tmp with so many bytes left. */
int64_t vt_limit_tmp_calm(uint64_t left);

const char *vt_limit_name(enum vt_limit limit);

/* Nanoseconds until the next reading, after one that took `spent` of processor time: `share` times that, 50 ms at most, because
 * the command decides how many descriptors and files there are to read. */
int64_t vt_limit_pause(int64_t spent, int share);
