/* Starts a new watcher if the old one was killed while commands run. Supervisor thread only. */
#pragma once

#include <stdbool.h>

/* Called in every round; `needed`: commands run. */
void vt_watcher_respawn_check(bool needed);

void vt_watcher_respawn_lost(void);

int vt_watcher_respawn_due_in(bool needed);
