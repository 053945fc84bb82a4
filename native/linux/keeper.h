/* Notices when somebody ended the watcher, and starts another while commands run. Supervisor thread only. */
#pragma once

#include <stdbool.h>

/* Called every time round; `needed`: commands run. */
void vt_keeper_look(bool needed);

/* The watcher has ended. */
void vt_keeper_lost(void);

/* Milliseconds until vt_keeper_look() has to be called again; -1: it need not be. */
int vt_keeper_due_in(bool needed);
