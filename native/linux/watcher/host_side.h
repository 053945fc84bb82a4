/* The host's side of the watcher: starts it and writes the table of commands that it reads. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core.h"

struct vt_watch_slot;

/* Starts the watcher if needed; NULL with errno: no free slot or no watcher. Launcher thread only. */
struct vt_watch_slot *vt_watcher_take_slot(void);

/* Enters a command's session and cookie; 0: no cookie. */
void vt_watcher_enter(struct vt_watch_slot *slot, int32_t session, uint32_t cookie);

/* The host's id in the names of its cgroups; not 0 once a slot was taken. */
uint64_t vt_watcher_host(void);

/* To be called before the command's cgroup is made: the watcher kills and removes it if the host dies. */
void vt_watcher_enter_cgroup(struct vt_watch_slot *slot, uint32_t command);

/* To be called before the leader of a started command is reaped: afterwards another process may get the session's id. */
void vt_watcher_free_slot(struct vt_watch_slot *slot);

/* Writes the environment entry that marks an unconfined command's processes; false: failed, with errno. */
bool vt_watcher_cookie(uint32_t command, char *text, size_t room);

/* Returns a pidfd of the watcher, or -1 with errno. */
int vt_watcher_open(void);
