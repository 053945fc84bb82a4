/* Listeners that no call has come from for a while, or none yet: they wait in an epoll set. Each holds a reference. */
#pragma once

#include <stdbool.h>

#include "notify/listener.h"

/* Before everything else; 0, or -1 with errno: then it may be tried again. */
int vt_idle_open(void);

/* The epoll set, to be polled with others. */
int vt_idle_descriptor(void);

/* Waits until one has something; returns above 0 then, or -1 and errno. */
int vt_idle_wait(void);

/* Takes a reference over. A new one is to be taken into use before its first call, where one is expected soon. */
void vt_idle_add(struct vt_listener *listener);
void vt_idle_add_new(struct vt_listener *listener);

/* One that has something, or NULL; its reference is the caller's. `called`: a call waits, else it has hung up. */
struct vt_listener *vt_idle_take(bool *called);

/* A new one that is to be taken into use, or NULL; its reference is the caller's. */
struct vt_listener *vt_idle_take_new(void);

/* The command has ended: true when the listener was idle, and its reference is the caller's. */
bool vt_idle_remove(struct vt_listener *listener);
