/* Starts the watcher, and writes the table of commands that it reads. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core.h"

struct vt_watch_slot;

/* Starts the watcher if needed; NULL with errno: no free slot or no watcher. Launcher thread only. */
struct vt_watch_slot *vt_watcher_take_slot(void);

/* `cookie`, `mark`: 0: none. */
void vt_watcher_enter(struct vt_watch_slot *slot, int32_t session, uint32_t cookie, uint64_t mark);

/* In marks and in the names of cgroups; not 0 once a slot was taken. */
uint64_t vt_watcher_host(void);

/* Before the command's cgroup is made: the watcher removes it if the host dies. */
void vt_watcher_enter_cgroup(struct vt_watch_slot *slot, uint32_t command);

/* Before the leader is reaped: then another process may get the session's id. */
void vt_watcher_free_slot(struct vt_watch_slot *slot);

/* Writes the environment entry by which processes of an unconfined command are found; false with errno. */
bool vt_watcher_cookie(uint32_t command, char *text, size_t room);

/* A pidfd, or -1 with errno. */
int vt_watcher_open(void);
