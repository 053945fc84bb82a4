#define _GNU_SOURCE
#include "notify/sockets/connecting.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/basics.h"
#include "notify/dispatch.h"
#include "notify/notification.h"
#include "notify/sockets/listening.h"

enum { MOST = 256, PAUSE_MS = 2 };

struct vt_connecting {
  struct vt_connecting *next;
  uint64_t id; /* of the notification */
  pid_t thread;
  int fd, socket; /* `socket`: O_PATH, of a unix socket; -1: a TCP connection */
  bool answered, signal_seen;
  int64_t until; /* SO_SNDTIMEO */
  union vt_address plain;
};

int vt_tcp_state(int fd) {
  struct tcp_info info = {.tcpi_state = TCP_CLOSE};
  socklen_t size = sizeof info;
  return getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &size) ? TCP_CLOSE : info.tcpi_state;
}

static bool is_under_way(int state) { return state == TCP_SYN_SENT || state == TCP_SYN_RECV; }

void vt_disconnect(int fd) {
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

/* The address does not count then. Should another thread have closed the connection meanwhile, this one is refused: no socket has port 0. */
int vt_connect_outcome(int fd) {
  union vt_address nowhere = {.in = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)}};
  return vt_connect_now(fd, &nowhere, sizeof nowhere.in);
}

bool vt_may_reach_any_at(const struct vt_notification *notification, const union vt_address *plain) {
  return notification->listener->network || vt_address_is_among(plain, notification->listener->services);
}

/* Whose socket it leads to. Once there is a connection, the kernel tells where: a second connect(2) may name another address. */
static enum vt_listens who_has(struct vt_notification *notification, int fd, const union vt_address *plain) {
  const struct vt_sockets *sockets = notification->sockets;
  union vt_address peer, own;
  socklen_t size = sizeof peer;
  if (getpeername(fd, &peer.any, &size) == 0) vt_address_simplify(&peer, &own), plain = &own;
  if (vt_may_reach_any_at(notification, plain)) return VT_LISTENS_OWN;
  return vt_who_listens(sockets->netlink, sockets->device, notification->listener->world, plain);
}

/* Another socket can have come to the port between the look and the connection: then it is undone before the caller knows of it. */
bool vt_connect_step(struct vt_notification *notification, int fd, const union vt_address *plain, bool nonblocking, int *error) {
  int state = vt_tcp_state(fd);
  enum vt_listens who = state == TCP_CLOSE ? VT_LISTENS_OWN : who_has(notification, fd, plain);
  if (who == VT_LISTENS_FOREIGN || (who == VT_LISTENS_NONE && is_under_way(state))) {
    vt_disconnect(fd);
    *error = who == VT_LISTENS_FOREIGN ? EACCES : ECONNREFUSED;
    return true;
  }
  if (is_under_way(state)) return false;
  int outcome = nonblocking ? EINPROGRESS : vt_connect_outcome(fd); /* else poll(2) and SO_ERROR tell */
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

bool vt_connecting_add(struct vt_notification *notification, int fd, const union vt_address *plain, bool answered) {
  struct vt_connecting *connecting = add(notification, fd);
  if (!connecting) return false;
  connecting->answered = answered;
  connecting->plain = *plain;
  return true;
}

bool vt_connecting_add_unix(struct vt_notification *notification, int fd, int socket) {
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

static bool step(struct vt_notification *notification, struct vt_connecting *connecting, int *error) {
  if (connecting->socket >= 0) return try_unix(connecting, error);
  return vt_connect_step(notification, connecting->fd, &connecting->plain, connecting->answered, error);
}

static void end(struct vt_connecting *connecting) {
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
  int error = 0;
  bool over = step(notification, connecting, &error);
  if (connecting->answered) return over;
  if (!over && !(error = interruption(connecting))) return !vt_call_still_waits(notification->listener->fd, connecting->id);
  vt_end_call(notification->listener->fd, connecting->id, error);
  if (over || connecting->socket >= 0) return true;
  connecting->answered = true; /* it stays under way, as a connection whose caller was interrupted does */
  return false;
}

int vt_sockets_watch(struct vt_notification *notification) {
  struct vt_sockets *sockets = notification->sockets;
  int64_t left = sockets->next_look - vt_now();
  if (left > 0) return (int)left;
  for (struct vt_connecting **at = &sockets->connecting; *at;) {
    struct vt_connecting *connecting = *at;
    if (!look_at(notification, connecting)) {
      at = &connecting->next;
      continue;
    }
    *at = connecting->next;
    end(connecting);
  }
  sockets->next_look = vt_now() + PAUSE_MS;
  return sockets->connecting ? PAUSE_MS : -1;
}

void vt_sockets_drop(struct vt_sockets *sockets) {
  for (struct vt_connecting *connecting; (connecting = sockets->connecting);) {
    sockets->connecting = connecting->next;
    end(connecting);
  }
  if (sockets->netlink >= 0) close(sockets->netlink);
  *sockets = (struct vt_sockets){.netlink = -1};
}
