/* The host's side of the watcher: starts it, keeps the table of sessions that it reads. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Starts the watcher unless it runs. Returns 0 or an errno. */
int vt_watcher_start(void);

struct vt_watch_slot;

/* A free slot of the table, marked as taken; NULL when none is free or the watcher cannot be had. Launcher thread only. */
struct vt_watch_slot *vt_watcher_take_slot(void);

/* The command's session, once it has one; `cookie`: what its processes carry in their environment, 0: nothing. */
void vt_watcher_enter(struct vt_watch_slot *slot, int32_t session, uint32_t cookie);

/* What this host is called in the names of its cgroups; not 0 once a slot was taken. */
uint64_t vt_watcher_host(void);

/* The command is about to have a cgroup of its own: should the host die, that is ended and removed. */
void vt_watcher_enter_cgroup(struct vt_watch_slot *slot, uint32_t command);

/* The session has ended; its number may be used again by the system. */
void vt_watcher_free_slot(struct vt_watch_slot *slot);

/* Writes the environment entry that the processes of an unconfined command are found by; false and errno: there is none. */
bool vt_watcher_cookie(uint32_t command, char *text, size_t room);

/* Process id of the watcher, 0 when there is none. */
int vt_watcher_pid(void);

/* A pidfd of the watcher, the caller's to close; -1: none can be had. */
int vt_watcher_open(void);
