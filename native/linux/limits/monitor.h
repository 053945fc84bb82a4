/* Measures what commands use, the more often the closer a limit is, in at most 5 % of a processor per thread. */
#pragma once

#include <stdbool.h>

struct vt_command;
struct vt_limits;
struct vt_meter;

enum vt_limit { VT_LIMIT_NONE, VT_LIMIT_MEMORY, VT_LIMIT_CPU, VT_LIMIT_PROCESSES, VT_LIMIT_PRIVATE_TMP, VT_LIMIT_EPOLL_WATCHES };

const char *vt_limit_name(enum vt_limit limit);

/* Two kinds, with one thread each: /proc is quick to read, a directory may be slow. */
enum { VT_MONITOR_PROC, VT_MONITOR_DISK, VT_MONITORS };

/* 0, or -1 with errno: may be tried again. */
int vt_monitor_ready(const struct vt_limits *limits);

/* NULL: no limit of this kind. */
struct vt_meter *vt_meter_open(const struct vt_command *command, int kind);

/* Exceeding a limit wakes the supervisor. */
enum vt_limit vt_meter_exceeded(const struct vt_meter *meter);

/* After the leader has ended: asks for a last measurement; true once taken. `alone`: no other process is left. */
bool vt_meter_settle(struct vt_meter *meter, bool alone);

void vt_meter_close(struct vt_meter *meter);
