/* Listeners without recent calls: they wait in an epoll set. Each holds a reference. */
#pragma once

#include <stdbool.h>

#include "notify/listener.h"

/* Call first. 0, or -1 with errno: may be tried again. */
int vt_idle_open(void);

/* The epoll set, for polling along with other descriptors. */
int vt_idle_descriptor(void);

/* Waits for an event on any; returns > 0, or -1 and errno. */
int vt_idle_wait(void);

/* Take over a reference. A new listener goes into use before its first call if one is expected soon. */
void vt_idle_add(struct vt_listener *listener);
void vt_idle_add_new(struct vt_listener *listener);

/* Takes out a listener with an event, with its reference; NULL: none. `called`: a call waits, else it hung up. */
struct vt_listener *vt_idle_take(bool *called);

/* Takes out a new listener to be used, with its reference; NULL: none. */
struct vt_listener *vt_idle_take_new(void);

/* The command has ended. True: the listener was idle, and its reference passes to the caller. */
bool vt_idle_remove(struct vt_listener *listener);
