/* The size that no file may have where a private directory has a limit (RLIMIT_FSIZE, setrlimit(2)), and whether one met it. */
#pragma once

#include "base/command.h"

/* A mebibyte over the limit of the whole directory, for the meters come first; 0: none. */
uint64_t vt_fsize_most(const struct vt_command *command);

/* The command runs: keeps what can tell of its writing at its end. */
void vt_fsize_open(struct vt_command *command);
void vt_fsize_close(struct vt_command *command);

/* Whether the leader was ended by that size, or is a shell that says so of its last command. Before it is reaped. */
bool vt_fsize_met(const struct vt_command *command);
