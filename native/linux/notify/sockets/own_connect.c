/* connect(2) to the command's own sockets: carried out here, on the borrowed socket with a copy of the address. It goes only where a
 * socket of the command's world listens; the kernel's own lookup tells. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <string.h>
#include <unistd.h>

#include "confine/confinement.h"
#include "notify/caller/caller.h"
#include "notify/dispatch.h"
#include "notify/sockets/connecting.h"
#include "notify/sockets/inert.h"
#include "notify/sockets/listening.h"
#include "notify/sockets/own_unix.h"
#include "notify/sockets/sockets.h"

/* In place of an error: the answer comes later. */
enum { LATER = -1 };

struct client {
  int fd;
  bool nonblocking;
  union vt_address wire, plain;
  socklen_t length;
};

/* No socket has port 0. */
static int refuse_for_certain(struct client *client) {
  if (!client->nonblocking) return ECONNREFUSED;
  client->wire.in.sin_port = 0; /* sin6_port is there, too */
  return vt_connect_now(client->fd, &client->wire, client->length);
}

static int follow(struct vt_notification *notification, struct client *client) {
  int error = 0;
  if (client->nonblocking && vt_may_reach_any_at(notification, &client->plain)) return EINPROGRESS;
  if (vt_connect_step(notification, client->fd, &client->plain, client->nonblocking, &error)) return error;
  if (!vt_connecting_add(notification, client->fd, &client->plain, client->nonblocking)) {
    vt_disconnect(client->fd);
    return ECONNREFUSED;
  }
  return client->nonblocking ? EINPROGRESS : LATER;
}

static int connect_now(struct vt_notification *notification, struct client *client) {
  int error = vt_connect_now(client->fd, &client->wire, client->length);
  return error && error != EINPROGRESS ? error : follow(notification, client);
}

static int connect_where_own(struct vt_notification *notification, struct client *client) {
  const struct vt_sockets *sockets = notification->sockets;
  if (!vt_tie(client->fd) || !vt_is_of_this_machine(&client->plain)) return EACCES;
  switch (vt_who_listens(sockets->netlink, sockets->device, notification->listener->world, &client->plain)) {
    case VT_LISTENS_OWN: return connect_now(notification, client);
    case VT_LISTENS_NONE: return refuse_for_certain(client);
    default: return EACCES;
  }
}

/* A socket that is connected, or about to be: no address is passed on. */
static int connect_again(struct vt_notification *notification, struct client *client, int state) {
  bool under_way = state == TCP_SYN_SENT || state == TCP_SYN_RECV;
  return under_way && !client->nonblocking ? follow(notification, client) : vt_connect_outcome(client->fd);
}

static int connect_tcp(struct vt_notification *notification, int fd, bool four, const union vt_address *given, socklen_t length) {
  struct client client = {.fd = fd, .nonblocking = fcntl(fd, F_GETFL) & O_NONBLOCK};
  if (given->any.sa_family == AF_UNSPEC) return connect(fd, &given->any, length) ? errno : 0;
  int error = vt_address_make_concrete(fd, four, given, length, &client.wire, &client.length, &client.plain);
  if (error) return error;
  int state = vt_tcp_state(fd);
  if (state != TCP_CLOSE) return connect_again(notification, &client, state);
  bool any = vt_may_reach_any_at(notification, &client.plain);
  return any ? connect_now(notification, &client) : connect_where_own(notification, &client);
}

/* With the whole network granted, UDP sockets reach anything. */
static int connect_other(struct vt_notification *notification, int fd, const union vt_address *address, socklen_t length) {
  int domain = vt_socket_option(fd, SO_DOMAIN);
  bool internet = (domain == AF_INET || domain == AF_INET6) && notification->listener->network;
  if (domain < 0) return ENOTSOCK;
  if (vt_is_inert(notification, vt_kind_of(fd))) vt_inert_refuse(notification, fd);
  if (!internet) return EACCES;
  return connect(fd, &address->any, length) ? errno : 0;
}

static int connect_unix(struct vt_notification *notification, int fd, const union vt_address *address, socklen_t length) {
  bool waits = false;
  int error = vt_unix_connect(notification, fd, address, length, &waits);
  return waits ? LATER : error;
}

static int connect_socket(struct vt_notification *notification) {
  union vt_address address;
  socklen_t length;
  int error = vt_address_read(notification, &address, &length);
  if (error) return error;
  notification->own_sandbox = vt_has_own_sandbox(notification);
  if (notification->own_sandbox || !vt_sockets_ready(notification->sockets)) return EACCES;
  int fd = vt_borrow_proven(notification, (int)vt_argument(notification, 0));
  if (fd < 0) return EBADF;
  enum vt_kind kind = vt_kind_of(fd);
  if (kind == VT_KIND_UNIX) error = connect_unix(notification, fd, &address, length);
  else if (vt_is_tcp(kind)) error = connect_tcp(notification, fd, kind == VT_KIND_TCP4, &address, length);
  else error = connect_other(notification, fd, &address, length);
  close(fd);
  return error;
}

void vt_own_connect(struct vt_notification *notification) {
  int error = connect_socket(notification);
  notification->deferred = error == LATER;
  notification->error = error == LATER ? 0 : error;
  notification->done = error == 0;
  if (error == EACCES && !notification->counted) vt_refuse(notification);
}
