/* Notices when somebody ended the watcher, and starts another while commands run. Supervisor thread only. */
#pragma once

#include <stdbool.h>

/* Called every time round; `needed`: commands run. */
void vt_watcher_respawn_check(bool needed);

/* The watcher has ended. */
void vt_watcher_respawn_lost(void);

/* Milliseconds until vt_watcher_respawn_check() has to be called again; -1: it need not be. */
int vt_watcher_respawn_due_in(bool needed);
