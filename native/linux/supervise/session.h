/* Everything a command started: found by its session id, and where it is unconfined also by its cookie. */
#pragma once

#include "base/command.h"

/* Before everything else; 0, or -1 with errno: then it may be tried again. */
int vt_session_open(void);

/* Kills every live member but the ended leader; returns how many were found. Adds the newly killed to command->killed. */
int vt_session_sweep(struct vt_command *command);

/* How many live members there are beside the leader. */
int vt_session_count(const struct vt_command *command);

/* Calls `found` for each process of a session, ended ones that nobody has waited for included; returns the sum. Supervisor thread. */
int vt_session_each(pid_t session, void *context, int (*found)(void *context, pid_t pid));

/* The same for each process of the command, by its session or its cookie. */
int vt_session_each_of(const struct vt_command *command, void *context, int (*found)(void *context, pid_t pid));

/* Sends a signal to the command's process group. */
void vt_session_signal(const struct vt_command *command, int signal);

/* Whether a process group of that number belongs to the session. Any thread. */
bool vt_session_has_group(pid_t session, pid_t group);
