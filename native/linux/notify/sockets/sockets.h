/* What a command's server thread has for the sockets of its world, in its own descriptor table; made when the first call needs it. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "notify/sockets/address.h"

struct vt_notification;
struct vt_connecting;

struct vt_sockets {
  int netlink, device; /* netlink -1: not opened yet */
  struct vt_connecting *connecting; /* connections that are under way */
  int64_t next_look;                /* at these */
};

/* Handlers of bind(2), listen(2) and connect(2), where the listener has a world. */
bool vt_own_bind(struct vt_notification *notification); /* false: it is another socket */
void vt_handle_reuse(struct vt_notification *notification);
void vt_handle_listen(struct vt_notification *notification);
void vt_own_connect(struct vt_notification *notification);
void vt_handle_asked(struct vt_notification *notification); /* getsockopt(2): SO_ERROR, SO_PEERCRED */

/* False with errno: the thread can carry no socket calls out. */
bool vt_sockets_ready(struct vt_sockets *sockets);

/* Looks after connections under way. Returns the milliseconds until the next look, -1: there are none. */
int vt_sockets_watch(struct vt_notification *notification);
void vt_sockets_drop(struct vt_sockets *sockets);
