/*
 * Orphans of commands. Where the host is process 1 of a container, or a subreaper (PR_SET_CHILD_SUBREAPER(2const)), they become its
 * children, and stay zombies until it waits for them. Only sessions of commands are looked through, as long as a member that is not
 * reaped yet keeps their number from other use: what else the host has started is never waited for. Supervisor thread only.
 */
#pragma once

#include "base/command.h"

/* Whether orphans become the host's. */
bool vt_orphans_expected(void);

/* Reaps members of the command's session that have ended; its leader is not reaped yet. Returns how many members are left. */
int vt_orphans_reap(const struct vt_command *command);

/* Remembers the sessions of what lives on of the command; its leader is not reaped yet. */
void vt_orphans_adopt(const struct vt_command *command);

/* Reaps what has ended of the commands that run, and in the sessions that are remembered: once a second. */
void vt_orphans_look(const struct vt_command *commands);

/* In how many milliseconds that is due again; -1: never. */
int vt_orphans_due_in(const struct vt_command *commands);
