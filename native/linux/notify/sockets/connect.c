/* connect(2) to the command's own sockets: carried out here, on the borrowed socket with a copy of the address. It goes only where a
 * socket of the command's world listens; the kernel's own lookup tells. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <unistd.h>

#include "base/basics.h"
#include "notify/caller/caller.h"
#include "notify/dispatch.h"
#include "notify/sockets/whose.h"

/* LATER, in place of an error: the answer comes later. */
enum { LATER = -1 };

struct client {
  int fd;
  bool nonblocking;
  union vt_address wire, plain;
  socklen_t length;
};

static int state_of(int fd) {
  struct tcp_info info = {.tcpi_state = TCP_CLOSE};
  socklen_t size = sizeof info;
  return getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &size) ? TCP_CLOSE : info.tcpi_state;
}

static bool is_under_way(int state) { return state == TCP_SYN_SENT || state == TCP_SYN_RECV; }

static void disconnect(int fd) {
  struct sockaddr none = {.sa_family = AF_UNSPEC}; /* connect(2) */
  connect(fd, &none, sizeof none);
}

int vt_connect_now(int fd, const union vt_address *wire, socklen_t length) {
  int flags = fcntl(fd, F_GETFL);
  if (!(flags & O_NONBLOCK)) fcntl(fd, F_SETFL, flags | O_NONBLOCK);
  int error = connect(fd, &wire->any, length) ? errno : 0;
  if (!(flags & O_NONBLOCK)) fcntl(fd, F_SETFL, flags);
  return error;
}

/* Of a connect(2) that was begun before: the address does not count then. Should another thread have closed the connection meanwhile,
 * this one is refused: no socket has port 0. */
static int outcome_of(int fd) {
  union vt_address nowhere = {.in = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)}};
  return vt_connect_now(fd, &nowhere, sizeof nowhere.in);
}

/* Whether it may connect there, whichever process listens: with the whole network granted, or to a service of the list. */
static bool may_reach_any_at(const struct vt_notification *notification, const union vt_address *plain) {
  return notification->listener->network || vt_address_is_among(plain, notification->listener->services);
}

/* Whose socket it leads to. Once there is a connection, the kernel tells where: a second connect(2) may name another address. */
static enum vt_listens who_has(struct vt_notification *notification, int fd, const union vt_address *plain) {
  union vt_address peer, own;
  socklen_t size = sizeof peer;
  if (getpeername(fd, &peer.any, &size) == 0) vt_address_simplify(&peer, &own), plain = &own;
  if (may_reach_any_at(notification, plain)) return VT_LISTENS_OWN;
  return vt_who_listens(notification->sockets, notification->listener->world, plain);
}

/* One step of a connect(2) that was begun: its outcome, EAGAIN: it is under way still. Another socket can have come to the port between
 * the look and the connection: then it is undone before the caller knows of it. */
static int step(struct vt_notification *notification, int fd, const union vt_address *plain, bool nonblocking) {
  int state = state_of(fd);
  enum vt_listens who = state == TCP_CLOSE ? VT_LISTENS_OWN : who_has(notification, fd, plain);
  if (who == VT_LISTENS_FOREIGN || (who == VT_LISTENS_NONE && is_under_way(state))) {
    disconnect(fd);
    return who == VT_LISTENS_FOREIGN ? EACCES : ECONNREFUSED;
  }
  if (is_under_way(state)) return EAGAIN;
  int outcome = nonblocking ? EINPROGRESS : outcome_of(fd); /* else poll(2) and SO_ERROR tell */
  return outcome == EISCONN ? 0 : outcome;
}

static int64_t end_of(int fd) {
  struct timeval timeout = {0, 0};
  socklen_t size = sizeof timeout;
  getsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &timeout, &size);
  int64_t milliseconds = (int64_t)timeout.tv_sec * 1000 + timeout.tv_usec / 1000;
  return milliseconds > 0 ? vt_now() + milliseconds : INT64_MAX;
}

/* As the kernel ends the wait: at the socket's time limit (socket(7), SO_SNDTIMEO), or by a signal. Takes a copy of the descriptor. NULL:
 * too many wait. */
static struct vt_waiter *wait_for(struct vt_notification *notification, int fd, vt_attempt try, int late) {
  enum { PAUSE_MS = 2 };
  int copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);
  struct vt_waiter *waiter = copy < 0 ? NULL : vt_wait(notification, copy, try);
  if (waiter) {
    waiter->until = end_of(fd);
    waiter->late = late;
    waiter->pause = waiter->last_pause = PAUSE_MS;
  } else if (copy >= 0) {
    close(copy);
  }
  return waiter;
}

static int try_unix(struct vt_notification *by, struct vt_waiter *waiter) {
  union vt_address address = {.un.sun_family = AF_UNIX};
  (void)by;
  snprintf(address.un.sun_path, sizeof address.un.sun_path, "/proc/thread-self/fd/%d", waiter->socket);
  return vt_connect_now(waiter->fd, &address, sizeof address.un);
}

bool vt_connect_later(struct vt_notification *notification, int fd, int socket) {
  struct vt_waiter *waiter = wait_for(notification, fd, try_unix, EAGAIN);
  if (waiter) waiter->socket = socket;
  return waiter != NULL;
}

static int try_tcp(struct vt_notification *by, struct vt_waiter *waiter) {
  return step(by, waiter->fd, &waiter->plain, waiter->answered);
}

/* The kernel sends the first packet again for two minutes, as the listener's queue is full, to the socket that then has the port. So it is
 * looked at until it is made, refused or taken back, also once its caller was told EINPROGRESS, or was interrupted. */
static bool follow_later(struct vt_notification *notification, const struct client *client) {
  struct vt_waiter *waiter = wait_for(notification, client->fd, try_tcp, EINPROGRESS);
  if (!waiter) return false;
  waiter->stays = true;
  waiter->answered = client->nonblocking;
  waiter->plain = client->plain;
  return true;
}

/* No socket has port 0. */
static int refuse_for_certain(struct client *client) {
  if (!client->nonblocking) return ECONNREFUSED;
  client->wire.in.sin_port = 0; /* sin6_port is there, too */
  return vt_connect_now(client->fd, &client->wire, client->length);
}

static int follow(struct vt_notification *notification, struct client *client) {
  if (client->nonblocking && may_reach_any_at(notification, &client->plain)) return EINPROGRESS;
  int error = step(notification, client->fd, &client->plain, client->nonblocking);
  if (error != EAGAIN) return error;
  if (follow_later(notification, client)) return client->nonblocking ? EINPROGRESS : LATER;
  disconnect(client->fd);
  return ECONNREFUSED;
}

static int connect_now(struct vt_notification *notification, struct client *client) {
  int error = vt_connect_now(client->fd, &client->wire, client->length);
  return error && error != EINPROGRESS ? error : follow(notification, client);
}

static int connect_where_own(struct vt_notification *notification, struct client *client) {
  if (!vt_tie(client->fd) || !vt_is_of_this_machine(&client->plain)) return EACCES;
  switch (vt_who_listens(notification->sockets, notification->listener->world, &client->plain)) {
    case VT_LISTENS_OWN: return connect_now(notification, client);
    case VT_LISTENS_NONE: return refuse_for_certain(client);
    default: return EACCES;
  }
}

/* A socket that is connected, or about to be: no address is passed on. */
static int connect_again(struct vt_notification *notification, struct client *client, int state) {
  return is_under_way(state) && !client->nonblocking ? follow(notification, client) : outcome_of(client->fd);
}

static int connect_tcp(struct vt_notification *notification, int fd, bool four, const union vt_address *given, socklen_t length) {
  struct client client = {.fd = fd, .nonblocking = fcntl(fd, F_GETFL) & O_NONBLOCK};
  if (given->any.sa_family == AF_UNSPEC) return connect(fd, &given->any, length) ? errno : 0;
  int error = vt_address_make_concrete(fd, four, given, length, &client.wire, &client.length, &client.plain);
  if (error) return error;
  int state = state_of(fd);
  if (state != TCP_CLOSE) return connect_again(notification, &client, state);
  bool any = may_reach_any_at(notification, &client.plain);
  return any ? connect_now(notification, &client) : connect_where_own(notification, &client);
}

/* With the whole network granted, UDP sockets reach anything. */
static int connect_other(struct vt_notification *notification, int fd, const union vt_address *address, socklen_t length) {
  int domain = vt_socket_option(fd, SO_DOMAIN);
  bool internet = (domain == AF_INET || domain == AF_INET6) && notification->listener->network;
  if (domain < 0) return ENOTSOCK;
  if (vt_is_inert(notification, vt_kind_of(fd))) vt_inert_refuse(notification, fd, EACCES);
  if (!internet) return EACCES;
  return connect(fd, &address->any, length) ? errno : 0;
}

static int connect_borrowed(struct vt_notification *notification, int fd, const union vt_address *address, socklen_t length) {
  enum vt_kind kind = vt_kind_of(fd);
  if (vt_is_tcp(kind)) return connect_tcp(notification, fd, kind == VT_KIND_TCP4, address, length);
  if (kind != VT_KIND_UNIX) return connect_other(notification, fd, address, length);
  bool waits = false;
  int error = vt_unix_connect(notification, fd, address, length, &waits);
  return waits ? LATER : error;
}

static int connect_socket(struct vt_notification *notification) {
  union vt_address address;
  socklen_t length;
  int error = vt_address_read(notification, &address, &length);
  if (error) return error;
  if (vt_is_for_own_sandbox(notification) || !vt_sockets_ready(notification->sockets)) return EACCES;
  int fd = vt_borrow_proven(notification, (int)vt_argument(notification, 0));
  if (fd < 0) return EBADF;
  error = connect_borrowed(notification, fd, &address, length);
  close(fd);
  return error;
}

void vt_own_connect(struct vt_notification *notification) {
  int error = connect_socket(notification);
  notification->deferred = error == LATER;
  if (error != LATER) vt_answer(notification, error);
  if (error == EACCES && !notification->counted) vt_refuse(notification);
}
