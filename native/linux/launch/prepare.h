/* Does on a thread of its own, before it is needed, what a first command would otherwise wait for: the probe, the watcher, the
 * threads of the core, and a ruleset and filter that commands can share. */
#pragma once

#include "base/command.h"

/* Takes over the command, of which only directory, places and flags count. Nothing is launched. */
void vt_prepare(struct vt_command *command);
