/* Connections that the kernel has not made at once, as the listener's queue is full: it sends the first packet again for two minutes, to
 * the socket that then has the port. The thread looks at them until they are made, refused or taken back. */
#pragma once

#include <stdbool.h>

#include "notify/sockets/sockets.h"

/* Whether it may connect there, whichever process listens: with the whole network granted, or to a service of the list. */
bool vt_may_reach_any_at(const struct vt_notification *notification, const union vt_address *plain);

/* One step of a connect(2) that was begun: false: it is under way still. `error`: its outcome. */
bool vt_connect_step(struct vt_notification *notification, int fd, const union vt_address *plain, bool nonblocking, int *error);

/* Takes a copy of the descriptor. With `answered` the caller has its EINPROGRESS. False: too many are under way. */
bool vt_connecting_add(struct vt_notification *notification, int fd, const union vt_address *plain, bool answered);

/* Takes over the O_PATH descriptor of a unix socket whose queue is full. */
bool vt_connecting_add_unix(struct vt_notification *notification, int fd, int socket);

/* The outcome of a connect(2) that was begun before: 0 or an errno. */
int vt_connect_outcome(int fd);

/* connect(2) that never blocks this thread. */
int vt_connect_now(int fd, const union vt_address *wire, socklen_t length);
int vt_tcp_state(int fd);
void vt_disconnect(int fd);
