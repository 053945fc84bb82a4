/* The host's side of the watcher: starts it, keeps the table of sessions that it reads. */
#pragma once

#include <stdint.h>

/* Starts the watcher unless it runs. Returns 0 or an errno. */
int vt_watch_start(void);

/* A free slot of the table, marked as taken; NULL when none is free or the watcher cannot be had. Launcher thread only. */
volatile int32_t *vt_watch_take_slot(void);

/* The session has ended; its number may be used again by the system. */
void vt_watch_free_slot(volatile int32_t *slot);

/* Process id of the watcher, 0 when there is none. */
int vt_watch_pid(void);
