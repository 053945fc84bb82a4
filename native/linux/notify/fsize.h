/* RLIMIT_FSIZE (setrlimit(2)), which goes with a limit of the private tmp. */
#pragma once

#include "base/command.h"

/* The limit of the whole private tmp plus 1 MiB, so that the monitor acts first; 0: none. */
uint64_t vt_fsize_most(const struct vt_command *command);

/* Opens /proc/PID/io of the started command, to be read at its end. */
void vt_fsize_open(struct vt_command *command);
void vt_fsize_close(struct vt_command *command);

/* As ftruncate(2), within the limit of that thread: the kernel holds a caller to it only in its own calls. */
int vt_fsize_truncate(pid_t thread, int fd, off_t length);

/* True if SIGXFSZ ended the leader, or its last command if it is a shell. Call before it is reaped. */
bool vt_fsize_met(const struct vt_command *command);
