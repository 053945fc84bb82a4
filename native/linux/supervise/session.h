/* The processes of a command: found by mark (base/watched.h), or by session id and, if unconfined, by cookie. */
#pragma once

#include "base/command.h"

/* Call first. 0, or -1 with errno: may be tried again. */
int vt_session_open(void);

/* Counts the live members in command->killed, the first time; returns that count. */
int vt_session_count_ended(struct vt_command *command);

/* Asks every live member to end: SIGTERM, to those with a terminal also SIGHUP, then SIGCONT. */
void vt_session_ask(const struct vt_command *command);

/* Kills every live member except the ended leader, and counts it in command->killed once. Returns how many it found. */
int vt_session_sweep(struct vt_command *command);

/* The number of live members besides the leader. */
int vt_session_count(const struct vt_command *command);

/* The number of live members in the leader's process group; none that is about to end. */
int vt_session_count_group(const struct vt_command *command);

/* Live processes of an unconfined command that have left its process group (setsid(2)); at most `room`. */
void vt_session_find_left(const struct vt_command *command, pid_t *left, int room);

/* Zombies included; returns the sum. Supervisor thread. */
int vt_session_each(pid_t session, void *context, int (*found)(void *context, pid_t pid));

/* The same for each process of the command. */
int vt_session_each_of(const struct vt_command *command, void *context, int (*found)(void *context, pid_t pid));

/* To the command's process group, and its terminal's foreground group. */
void vt_session_signal(const struct vt_command *command, int signal);

/* Whether the command with this leader and mark has the group. Any thread. */
bool vt_session_has_group(pid_t session, uint64_t mark, pid_t group);
