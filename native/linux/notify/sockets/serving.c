/* bind(2) and listen(2) of a command's own TCP sockets: carried out here, on the borrowed socket with a copy of the address. A continued
 * call could have either replaced after the check. */
#define _GNU_SOURCE
#include <errno.h>
#include <net/if.h>
#include <string.h>
#include <unistd.h>

#include "confine/confinement.h"
#include "notify/caller/borrow_fd.h"
#include "notify/caller/own_sandbox.h"
#include "notify/dispatch.h"
#include "notify/reply.h"
#include "notify/sockets/listening.h"
#include "notify/sockets/open_ports.h"
#include "notify/sockets/own_unix.h"
#include "notify/sockets/unix_bound.h"
#include "notify/sockets/sockets.h"
#include "notify/world/world.h"

static struct vt_dead_end open_dead_end(int family) {
  struct vt_dead_end end = {.fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  bool four = family == AF_INET;
  socklen_t size = sizeof end.address, length = four ? sizeof end.address.in : sizeof end.address.in6;
  end.address.any.sa_family = (sa_family_t)family;
  if (four) end.address.in.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  else end.address.in6.sin6_addr = in6addr_loopback;
  bool bound = end.fd >= 0 && bind(end.fd, &end.address.any, length) == 0 && getsockname(end.fd, &end.address.any, &size) == 0;
  if (!bound && end.fd >= 0) close(end.fd);
  if (!bound) end.fd = -1;
  return end;
}

bool vt_sockets_ready(struct vt_sockets *sockets) {
  if (sockets->ready) return true;
  sockets->device = (int)if_nametoindex("lo");
  sockets->netlink = sockets->device ? vt_listening_open() : -1;
  if (sockets->netlink < 0) return false;
  sockets->four = open_dead_end(AF_INET);
  sockets->six = open_dead_end(AF_INET6);
  sockets->ready = sockets->four.fd >= 0;
  if (!sockets->ready) vt_sockets_drop(sockets);
  return sockets->ready;
}

int vt_own_socket(struct vt_notification *notification) {
  return vt_borrow_proven(notification, (int)vt_argument(notification, 0));
}

static void answer(struct vt_notification *notification, int error) {
  notification->error = error;
  notification->done = error == 0;
}

static int bind_tied(int fd, const union vt_address *address, socklen_t length) {
  if (vt_changes_device(address)) return EADDRNOTAVAIL;
  if (!vt_tie(fd)) return EACCES;
  if (bind(fd, &address->any, length)) return errno;
  return vt_tie(fd) ? 0 : EACCES;
}

/* With the whole network granted, a client that has the kernel choose its port may reach other machines: it is tied if it listens. */
static bool stays_untied(const struct vt_notification *notification, const union vt_address *address) {
  return notification->listener->network && address->in.sin_port == 0;
}

static int bind_own(struct vt_notification *notification, int fd, const union vt_address *address, socklen_t length) {
  notification->own_sandbox = vt_has_own_sandbox(notification);
  if (notification->own_sandbox) return EACCES;
  if (stays_untied(notification, address)) return bind(fd, &address->any, length) ? errno : 0;
  return bind_tied(fd, address, length);
}

static void bind_local(struct vt_notification *notification, int fd, const union vt_address *address, socklen_t length) {
  if (vt_sockets_ready(notification->sockets)) vt_unix_bind(notification, fd, address, length);
  else vt_refuse(notification);
}

static void bind_tcp(struct vt_notification *notification, int fd, const union vt_address *address, socklen_t length) {
  answer(notification, bind_own(notification, fd, address, length));
  if (notification->own_sandbox) vt_refuse(notification);
}

void vt_own_bind(struct vt_notification *notification) {
  union vt_address address;
  socklen_t length;
  int error = vt_address_read(notification, &address, &length);
  if (error) return answer(notification, error);
  int fd = vt_own_socket(notification);
  bool local = fd >= 0 && vt_socket_option(fd, SO_DOMAIN) == AF_UNIX, tcp = fd >= 0 && vt_is_tcp(fd);
  if (local) bind_local(notification, fd, &address, length);
  else if (tcp) bind_tcp(notification, fd, &address, length);
  if (fd >= 0) close(fd);
  if (!local && !tcp) vt_bind_client(notification);
}

/* Its socket is noted before another thread can look for it. */
static int listen_noted(struct vt_notification *notification, int fd, int backlog) {
  struct vt_world *world = notification->listener->world;
  uint64_t cookie = 0;
  socklen_t size = sizeof cookie;
  if (getsockopt(fd, SOL_SOCKET, SO_COOKIE, &cookie, &size)) return errno;
  pthread_mutex_lock(&world->lock);
  int error = listen(fd, backlog) ? errno : 0;
  if (!error) vt_world_note(world, cookie);
  if (!error) vt_listening_prune(notification->sockets->netlink, world);
  pthread_mutex_unlock(&world->lock);
  if (!error) vt_open_ports_note(notification, fd);
  return error;
}

static int listen_at_name(struct vt_notification *notification, int fd) {
  if (!vt_sockets_ready(notification->sockets)) return EACCES;
  if (listen(fd, (int)vt_argument(notification, 1))) return errno;
  pid_t process = vt_caller_process(&notification->caller);
  vt_unix_note(notification->sockets->netlink, notification->listener->world, fd, NULL, process);
  return 0;
}

static int listen_tied(struct vt_notification *notification, int fd) {
  if (vt_socket_option(fd, SO_DOMAIN) == AF_UNIX) return listen_at_name(notification, fd);
  if (!vt_is_tcp(fd)) return -1;
  if (!vt_sockets_ready(notification->sockets) || !vt_tie(fd)) return EACCES;
  return listen_noted(notification, fd, (int)vt_argument(notification, 1));
}

void vt_handle_listen(struct vt_notification *notification) {
  int fd = notification->sockets ? vt_own_socket(notification) : -1;
  int error = fd >= 0 ? listen_tied(notification, fd) : -1;
  if (fd >= 0) close(fd);
  if (error >= 0) answer(notification, error);
  else vt_refuse(notification);
}

/* SO_REUSEADDR is pretended for other sockets: of two datagram sockets on one port the younger gets the datagrams. */
void vt_handle_reuse(struct vt_notification *notification) {
  int fd = notification->sockets ? vt_own_socket(notification) : -1, value = 0;
  bool read = vt_argument(notification, 4) >= sizeof value &&
              vt_caller_read(&notification->caller, vt_argument(notification, 3), &value, sizeof value) == sizeof value;
  int error = fd < 0 && vt_names_closed(notification) ? EBADF : read ? 0 : EINVAL;
  if (read && fd >= 0 && vt_is_tcp(fd)) error = setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &value, sizeof value) ? errno : 0;
  if (fd >= 0) close(fd);
  answer(notification, error);
}
