/* Listeners without recent calls: they wait in an epoll set. Each holds a reference. */
#pragma once

#include <stdbool.h>

#include "notify/listener.h"

/* Call first. 0, or -1 with errno: may be tried again. */
int vt_idle_open(void);

/* The epoll set, for polling along with other descriptors. */
int vt_idle_descriptor(void);

/* Waits for an event; > 0, or -1 with errno. */
int vt_idle_wait(void);

/* Takes over a reference. */
void vt_idle_add(struct vt_listener *listener);

/* A listener with an event, taken out with its reference; NULL: none. `called`: a call waits, else it hung up. */
struct vt_listener *vt_idle_take(bool *called);

/* The same for listeners that epoll does not take. */
struct vt_listener *vt_idle_take_new(void);

/* The command has ended. True: the listener was idle, and its reference passes to the caller. */
bool vt_idle_remove(struct vt_listener *listener);
