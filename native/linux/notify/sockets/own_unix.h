#pragma once

#include <stdbool.h>

#include "notify/sockets/sockets.h"

/* For the borrowed socket of a waiting call. */
void vt_unix_bind(struct vt_notification *notification, int fd, const union vt_address *address, socklen_t length);
/* 0 or an errno. `waits`: the listener's queue is full, and the call is answered later. */
int vt_unix_connect(struct vt_notification *notification, int fd, const union vt_address *address, socklen_t length, bool *waits);
