/* UDP sockets that neither send nor receive, where the network is not granted. */
#pragma once

#include <stdbool.h>

#include "notify/sockets/address.h"

struct vt_notification;

/* socket(2): the caller gets one. */
void vt_handle_socket(struct vt_notification *notification);
/* sendto(2) and sendmmsg(2), only to report them: the call goes on with any other socket. */
void vt_handle_send(struct vt_notification *notification);

bool vt_is_inert(const struct vt_notification *notification, enum vt_kind kind);
/* To any address and port, as clients do; else it is refused. */
void vt_inert_bind(struct vt_notification *notification, int fd, const union vt_address *address, socklen_t length);
/* Refused and reported as its socket(2) would be. */
void vt_inert_refuse(struct vt_notification *notification, int fd);
