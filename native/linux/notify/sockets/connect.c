/* connect(2) to the command's own sockets: carried out here, on the borrowed socket with a copy of the address. It goes only where a
 * socket of the command's world listens; the kernel's own lookup tells. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/basics.h"
#include "notify/caller/caller.h"
#include "notify/dispatch.h"
#include "notify/sockets/whose.h"

/* LATER, in place of an error: the answer comes later. */
enum { LATER = -1, MOST = 256, PAUSE_MS = 2 };

/* A connection that the kernel has not made at once, as the listener's queue is full: it sends the first packet again for two minutes,
 * to the socket that then has the port. The notifier looks at it until it is made, refused or taken back. */
struct vt_connecting {
  struct vt_connecting *next;
  uint64_t id; /* of the notification */
  pid_t thread;
  int fd, socket; /* `socket`: O_PATH, of a unix socket; -1: a TCP connection */
  bool answered;  /* the caller has its EINPROGRESS */
  bool signal_seen;
  int64_t until; /* SO_SNDTIMEO */
  union vt_address plain;
};

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

/* One step of a connect(2) that was begun. False: it is under way still. Another socket can have come to the port between the look and
 * the connection: then it is undone before the caller knows of it. */
static bool step(struct vt_notification *notification, int fd, const union vt_address *plain, bool nonblocking, int *error) {
  int state = state_of(fd);
  enum vt_listens who = state == TCP_CLOSE ? VT_LISTENS_OWN : who_has(notification, fd, plain);
  if (who == VT_LISTENS_FOREIGN || (who == VT_LISTENS_NONE && is_under_way(state))) {
    disconnect(fd);
    *error = who == VT_LISTENS_FOREIGN ? EACCES : ECONNREFUSED;
    return true;
  }
  if (is_under_way(state)) return false;
  int outcome = nonblocking ? EINPROGRESS : outcome_of(fd); /* else poll(2) and SO_ERROR tell */
  *error = outcome == EISCONN ? 0 : outcome;
  return true;
}

static int64_t end_of(int fd) {
  struct timeval timeout = {0, 0};
  socklen_t size = sizeof timeout;
  getsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &timeout, &size);
  int64_t milliseconds = (int64_t)timeout.tv_sec * 1000 + timeout.tv_usec / 1000;
  return milliseconds > 0 ? vt_now() + milliseconds : INT64_MAX;
}

static size_t count(const struct vt_connecting *connecting) {
  size_t number = 0;
  for (; connecting; connecting = connecting->next) number++;
  return number;
}

/* Takes a copy of the descriptor. NULL: too many are under way. */
static struct vt_connecting *add(struct vt_notification *notification, int fd) {
  int copy = count(notification->sockets->connecting) < MOST ? fcntl(fd, F_DUPFD_CLOEXEC, 0) : -1;
  if (copy < 0) return NULL;
  struct vt_connecting *connecting = vt_must(calloc(1, sizeof *connecting));
  *connecting = (struct vt_connecting){
      .next = notification->sockets->connecting,
      .id = notification->notif.id,
      .thread = notification->caller.thread,
      .fd = copy,
      .socket = -1,
      .until = end_of(fd),
  };
  return notification->sockets->connecting = connecting;
}

bool vt_connect_later(struct vt_notification *notification, int fd, int socket) {
  struct vt_connecting *connecting = add(notification, fd);
  if (connecting) connecting->socket = socket;
  return connecting != NULL;
}

static bool try_unix(const struct vt_connecting *connecting, int *error) {
  union vt_address address = {.un.sun_family = AF_UNIX};
  snprintf(address.un.sun_path, sizeof address.un.sun_path, "/proc/thread-self/fd/%d", connecting->socket);
  *error = vt_connect_now(connecting->fd, &address, sizeof address.un);
  return *error != EAGAIN;
}

static void end(struct vt_connecting **at) {
  struct vt_connecting *connecting = *at;
  *at = connecting->next;
  close(connecting->fd);
  if (connecting->socket >= 0) close(connecting->socket);
  free(connecting);
}

/* As the kernel ends the wait: at the socket's time limit (socket(7), SO_SNDTIMEO), or by a signal. */
static int interruption(struct vt_connecting *connecting) {
  if (connecting->answered) return 0;
  if (connecting->until <= vt_now()) return connecting->socket < 0 ? EINPROGRESS : EAGAIN;
  return vt_wait_interruption(connecting->thread, &connecting->signal_seen);
}

/* True: it is made, refused, taken back, or not waited for any longer. */
static bool look_at(struct vt_notification *notification, struct vt_connecting *connecting) {
  int error = 0, listener = notification->listener->fd;
  bool local = connecting->socket >= 0;
  bool over = local ? try_unix(connecting, &error) : step(notification, connecting->fd, &connecting->plain, connecting->answered, &error);
  if (connecting->answered) return over;
  if (!over && !(error = interruption(connecting))) return !vt_call_still_waits(listener, connecting->id);
  vt_end_call(listener, connecting->id, error);
  if (over || local) return true;
  connecting->answered = true; /* it stays under way, as a connection whose caller was interrupted does */
  return false;
}

int vt_sockets_watch(struct vt_notification *notification) {
  struct vt_sockets *sockets = notification->sockets;
  int64_t left = sockets->next_look - vt_now();
  if (left > 0) return (int)left;
  for (struct vt_connecting **at = &sockets->connecting; *at;) {
    if (look_at(notification, *at)) end(at);
    else at = &(*at)->next;
  }
  sockets->next_look = vt_now() + PAUSE_MS;
  return sockets->connecting ? PAUSE_MS : -1;
}

void vt_sockets_drop(struct vt_sockets *sockets) {
  while (sockets->connecting) end(&sockets->connecting);
  if (sockets->netlink >= 0) close(sockets->netlink);
  sockets->netlink = -1;
}

/* No socket has port 0. */
static int refuse_for_certain(struct client *client) {
  if (!client->nonblocking) return ECONNREFUSED;
  client->wire.in.sin_port = 0; /* sin6_port is there, too */
  return vt_connect_now(client->fd, &client->wire, client->length);
}

static int follow(struct vt_notification *notification, struct client *client) {
  int error = 0;
  if (client->nonblocking && may_reach_any_at(notification, &client->plain)) return EINPROGRESS;
  if (step(notification, client->fd, &client->plain, client->nonblocking, &error)) return error;
  struct vt_connecting *connecting = add(notification, client->fd);
  if (!connecting) return disconnect(client->fd), ECONNREFUSED;
  connecting->answered = client->nonblocking;
  connecting->plain = client->plain;
  return client->nonblocking ? EINPROGRESS : LATER;
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
  notification->own_sandbox = vt_has_own_sandbox(notification);
  if (notification->own_sandbox || !vt_sockets_ready(notification->sockets)) return EACCES;
  int fd = vt_borrow_proven(notification, (int)vt_argument(notification, 0));
  if (fd < 0) return EBADF;
  error = connect_borrowed(notification, fd, &address, length);
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
