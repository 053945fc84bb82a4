/* A command's own sockets: what its notifier carries out where the listener has a world. */
#pragma once

#include <stdbool.h>

#include "notify/sockets/address.h"

struct vt_notification;

/* In the notifier's own descriptor table; made when the first call needs it. */
struct vt_sockets {
  int netlink, device; /* netlink -1: not opened yet */
};

/* False with errno: the thread can carry no socket calls out. */
bool vt_sockets_ready(struct vt_sockets *sockets);

/* serving.c, connect.c, udp.c, asked.c: handlers of system calls */
bool vt_own_bind(struct vt_notification *notification); /* false: it is another socket */
void vt_handle_listen(struct vt_notification *notification);
void vt_handle_reuse(struct vt_notification *notification); /* setsockopt(2): SO_REUSEADDR */
void vt_own_connect(struct vt_notification *notification);
void vt_handle_socket(struct vt_notification *notification);
void vt_handle_send(struct vt_notification *notification);  /* sendto(2), sendmmsg(2) */
void vt_handle_asked(struct vt_notification *notification); /* getsockopt(2): SO_ERROR, SO_PEERCRED */

/* connect.c: connect(2) that never blocks this thread: 0 or an errno. */
int vt_connect_now(int fd, const union vt_address *wire, socklen_t length);
/* To a unix socket whose queue is full; takes over its O_PATH descriptor. False: too many are under way. */
bool vt_connect_later(struct vt_notification *notification, int fd, int socket);

/* own_unix.c: for the borrowed socket of a waiting call. vt_unix_connect(): 0 or an errno; `waits`: the listener's queue is full, and the
 * call is answered later. */
void vt_unix_bind(struct vt_notification *notification, int fd, const union vt_address *address, socklen_t length);
int vt_unix_connect(struct vt_notification *notification, int fd, const union vt_address *address, socklen_t length, bool *waits);

/* udp.c: where the network is not granted, a UDP socket neither sends nor receives. */
bool vt_is_inert(const struct vt_notification *notification, enum vt_kind kind);
/* To any address and port, as clients do; else it is refused. */
void vt_inert_bind(struct vt_notification *notification, int fd, const union vt_address *address, socklen_t length);
/* Refused and reported as its socket(2) would be. */
void vt_inert_refuse(struct vt_notification *notification, int fd, int error);
