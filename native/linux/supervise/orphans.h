/* Orphans of commands become children, and in the end zombies, of a host that is process 1 of a container or a subreaper
 * (PR_SET_CHILD_SUBREAPER(2const)). Reaps only what has the mark of a command, or is in a
 * session while an unreaped member keeps its number from reuse: never the host's other children. Supervisor thread only. */
#pragma once

#include "base/command.h"

bool vt_orphans_expected(void);

/* Reaps ended processes of the command, whose leader is not reaped yet. Returns how many are left. */
int vt_orphans_reap(const struct vt_command *command);

/* Remembers the sessions of survivors; the leader is not reaped yet. */
void vt_orphans_adopt(const struct vt_command *command);

/* Once a second: reaps in the sessions of running commands and the remembered ones. */
void vt_orphans_look(const struct vt_command *commands);

int vt_orphans_due_in(const struct vt_command *commands);
