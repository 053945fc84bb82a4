/* UDP sockets that neither send nor receive. Programs open one to ask about interfaces (netdevice(7)): Java, ifconfig, if_nametoindex(3).
 * Gradle also binds one, to any address and port. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "confine/filter/seccomp_constants.h"
#include "notify/caller/caller.h"
#include "notify/dispatch.h"
#include "notify/sockets/sockets.h"

/* No interface has this number, as the kernel counts them from 1. Without CAP_NET_RAW a socket that has a device keeps it
 * (net/core/sock.c, sock_bindtoindex_locked). */
static bool tie_to_none(int fd) {
  int none = INT_MAX;
  return setsockopt(fd, SOL_SOCKET, VT_SO_BINDTOIFINDEX, &none, sizeof none) == 0;
}

/* A message may name another device (ip(7), IP_PKTINFO). For a socket that is shut the kernel makes no packet (net/core/sock.c,
 * sock_alloc_send_pskb), and none opens again. It says ENOTCONN, and shuts it (net/ipv4/af_inet.c, inet_shutdown). */
static void shut(int fd) { shutdown(fd, SHUT_WR); }

/* No manual promises it, so it is tried once, with a socket that sends to itself. Both families allocate by that function. */
static bool is_silent_once_shut(void) {
  static bool known; /* atomic */
  if (__atomic_load_n(&known, __ATOMIC_RELAXED)) return true;
  union vt_address own = {.in = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)}};
  socklen_t size = sizeof own;
  int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  bool bound = fd >= 0 && bind(fd, &own.any, sizeof own.in) == 0 && getsockname(fd, &own.any, &size) == 0;
  if (bound) shut(fd);
  bool silent = bound && sendto(fd, "", 0, MSG_DONTWAIT | MSG_NOSIGNAL, &own.any, size) < 0 && errno == EPIPE;
  if (fd >= 0) close(fd);
  __atomic_store_n(&known, silent, __ATOMIC_RELAXED);
  return silent;
}

static int open_inert(int family) {
  int fd = socket(family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return -1;
  shut(fd);
  if (tie_to_none(fd) && is_silent_once_shut()) return fd;
  close(fd);
  errno = EACCES;
  return -1;
}

/* socket(2): the caller gets one. */
void vt_handle_socket(struct vt_notification *notification) {
  bool refused = !notification->sockets || vt_is_for_own_sandbox(notification);
  int fd = refused ? -1 : open_inert((int)vt_argument(notification, 0));
  if (refused || (fd < 0 && errno == EACCES)) vt_refuse(notification);
  else vt_answer_with_descriptor(notification, fd, (uint32_t)vt_argument(notification, 1));
}

bool vt_is_inert(const struct vt_notification *notification, enum vt_kind kind) {
  return kind == VT_KIND_DATAGRAM && !notification->listener->network;
}

void vt_inert_refuse(struct vt_notification *notification, int fd, int error) {
  notification->error = error;
  notification->done = false;
  notification->counted = true;
  notification->operation = VT_OP_SOCKET;
  strcpy(notification->text, vt_socket_option(fd, SO_DOMAIN) == AF_INET ? "inet" : "inet6");
}

static bool is_any(const union vt_address *address) {
  if (address->in.sin_port) return false; /* sin6_port is there, too */
  if (address->any.sa_family == AF_INET) return address->in.sin_addr.s_addr == INADDR_ANY;
  return address->any.sa_family == AF_INET6 && IN6_IS_ADDR_UNSPECIFIED(&address->in6.sin6_addr) && !address->in6.sin6_scope_id;
}

void vt_inert_bind(struct vt_notification *notification, int fd, const union vt_address *address, socklen_t length) {
  if (vt_is_for_own_sandbox(notification) || !is_any(address)) return vt_inert_refuse(notification, fd, EACCES);
  vt_answer(notification, bind(fd, &address->any, length) ? errno : 0);
}

/* As a packet filter refuses a datagram, which programs know: Gradle goes on without, and fails for any other error. */
void vt_handle_send(struct vt_notification *notification) {
  int fd = notification->sockets ? vt_borrow_proven(notification, (int)vt_argument(notification, 0)) : -1;
  if (fd < 0) return;
  if (vt_is_inert(notification, vt_kind_of(fd))) vt_inert_refuse(notification, fd, EPERM);
  close(fd);
}
