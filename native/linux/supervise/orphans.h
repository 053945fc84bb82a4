/*
 * Orphans of commands. A host that is process 1 of a container or a subreaper (PR_SET_CHILD_SUBREAPER(2const)) becomes their
 * parent, and they stay zombies until it waits for them. Only commands' sessions are searched, and only while an unreaped
 * member keeps the number from reuse: the host's other children are never waited for. Supervisor thread only.
 */
#pragma once

#include "base/command.h"

/* Whether orphans become children of the host. */
bool vt_orphans_expected(void);

/* Reaps ended members of the command's session, whose leader is not reaped yet. Returns how many are left. */
int vt_orphans_reap(const struct vt_command *command);

/* Remembers the sessions of the command's survivors; its leader is not reaped yet. */
void vt_orphans_adopt(const struct vt_command *command);

/* Once a second: reaps ended members of running commands and of remembered sessions. */
void vt_orphans_look(const struct vt_command *commands);

/* Milliseconds until vt_orphans_look() is due again; -1: never. */
int vt_orphans_due_in(const struct vt_command *commands);
