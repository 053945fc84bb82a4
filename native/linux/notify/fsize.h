/* RLIMIT_FSIZE (setrlimit(2)), which goes with a limit of the private tmp. */
#pragma once

#include "base/command.h"

/* The limit of the whole private tmp plus 1 MiB, so that the monitor acts first; 0: none. */
uint64_t vt_fsize_most(const struct vt_command *command);

/* Opens /proc/PID/io of the started command, to be read at its end. */
void vt_fsize_open(struct vt_command *command);
void vt_fsize_close(struct vt_command *command);

/* True if SIGXFSZ ended the leader, or its last command if it is a shell. Call before it is reaped. */
bool vt_fsize_met(const struct vt_command *command);
