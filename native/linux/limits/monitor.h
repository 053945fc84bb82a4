/* The watch over limits: threads that measure what a command with limits uses, seldom while that is far from them and often
 * when it is near, and say which one was exceeded. Each takes a twentieth of one processor at most. */
#pragma once

#include <stdbool.h>

#include "limits/checks.h"

struct vt_command;
struct vt_monitor;

/* Two kinds, on a thread each: what /proc tells is quick to read, a directory need not be. */
enum { VT_MONITOR_PROC, VT_MONITOR_DISK, VT_MONITORS };

/* The threads that such limits need: 0, or -1 with errno; then it may be tried again. */
int vt_monitor_ready(const struct vt_limits *limits);

/* Starts to watch a command that has been started. NULL: it has no limit that this kind measures. */
struct vt_monitor *vt_monitor_open(const struct vt_command *command, int kind);

/* The limit that was exceeded. The supervisor is woken when there is one. */
enum vt_limit vt_monitor_exceeded(const struct vt_monitor *meter);

/* The leader has ended: asks for one more look. True when it has been taken; the supervisor is woken then. `alone`: it is
 * proven that nobody else is left, so that there is little to look at, and mostly nothing to wait for. */
bool vt_monitor_settle(struct vt_monitor *meter, bool alone);

void vt_monitor_close(struct vt_monitor *meter);
