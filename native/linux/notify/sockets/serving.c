/* bind(2) and listen(2) of a command's own TCP sockets: carried out here, on the borrowed socket with a copy of the address. A continued
 * call could have either replaced after the check. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <net/if.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/basics.h"
#include "core.h"
#include "notify/caller/caller.h"
#include "notify/dispatch.h"
#include "notify/sockets/whose.h"
#include "notify/world/world.h"

bool vt_sockets_ready(struct vt_sockets *sockets) {
  if (sockets->netlink >= 0) return true;
  sockets->device = (int)if_nametoindex("lo");
  if (sockets->device) sockets->netlink = vt_whose_open();
  return sockets->netlink >= 0;
}

static int bind_tied(int fd, const union vt_address *address, socklen_t length) {
  if (vt_changes_device(address)) return EADDRNOTAVAIL;
  if (!vt_tie(fd)) return EACCES;
  return bind(fd, &address->any, length) ? errno : 0;
}

/* With the whole network granted, a client that has the kernel choose its port may reach other machines: it is tied if it listens. */
static bool stays_untied(const struct vt_notification *notification, const union vt_address *address) {
  return notification->listener->network && address->in.sin_port == 0;
}

static int bind_own(struct vt_notification *notification, int fd, const union vt_address *address, socklen_t length) {
  if (vt_is_for_own_sandbox(notification)) return EACCES;
  if (stays_untied(notification, address)) return bind(fd, &address->any, length) ? errno : 0;
  return bind_tied(fd, address, length);
}

static void bind_local(struct vt_notification *notification, int fd, const union vt_address *address, socklen_t length) {
  if (vt_sockets_ready(notification->sockets)) vt_unix_bind(notification, fd, address, length);
  else vt_refuse(notification);
}

static void bind_tcp(struct vt_notification *notification, int fd, const union vt_address *address, socklen_t length) {
  vt_answer(notification, bind_own(notification, fd, address, length));
  if (notification->own_sandbox) vt_refuse(notification);
}

bool vt_own_bind(struct vt_notification *notification) {
  union vt_address address;
  socklen_t length;
  int error = vt_address_read(notification, &address, &length);
  if (error) return vt_answer(notification, error), true;
  int fd = vt_borrow_proven(notification, (int)vt_argument(notification, 0));
  enum vt_kind kind = fd >= 0 ? vt_kind_of(fd) : VT_KIND_OTHER;
  bool inert = vt_is_inert(notification, kind);
  if (kind == VT_KIND_UNIX) bind_local(notification, fd, &address, length);
  else if (vt_is_tcp(kind)) bind_tcp(notification, fd, &address, length);
  else if (inert) vt_inert_bind(notification, fd, &address, length);
  if (fd >= 0) close(fd);
  return kind != VT_KIND_OTHER && (kind != VT_KIND_DATAGRAM || inert);
}

_Static_assert(sizeof(struct vt_open_port){}.address >= INET6_ADDRSTRLEN, "an address fits");
_Static_assert(sizeof(struct vt_open_port){}.program >= VT_PROGRAM_BYTES, "a program fits");

static bool describe(int fd, struct vt_open_port *port) {
  union vt_address address;
  socklen_t size = sizeof address;
  if (getsockname(fd, &address.any, &size)) return false;
  const void *host = address.any.sa_family == AF_INET6 ? (void *)&address.in6.sin6_addr : &address.in.sin_addr;
  port->port = ntohs(address.in.sin_port);
  return inet_ntop(address.any.sa_family, host, port->address, sizeof port->address) != NULL;
}

static bool is_same(const struct vt_open_port *one, const struct vt_open_port *other) {
  return one->port == other->port && strcmp(one->address, other->address) == 0;
}

static void add(struct vt_listener *listener, const struct vt_open_port *port) {
  pthread_mutex_lock(&listener->lock);
  if (!listener->open_ports) listener->open_ports = vt_must(calloc(VT_OPEN_PORTS_MAX + 1, sizeof *port));
  struct vt_open_port *row = listener->open_ports, *end = row + VT_OPEN_PORTS_MAX;
  while (row < end && row->port && !is_same(row, port)) row++;
  bool is_new = row < end && !row->port;
  if (is_new) *row = *port;
  if (is_new) __atomic_store_n(&listener->untold, true, __ATOMIC_RELEASE);
  pthread_mutex_unlock(&listener->lock);
  if (is_new) vt_mailbox_wake();
}

/* Where the processes of a command listen, for its result. An address and port that are noted, or that no row is left for, change
 * nothing. */
static void note_open_port(struct vt_notification *notification, int fd) {
  struct vt_open_port port;
  memset(&port, 0, sizeof port);
  if (!describe(fd, &port)) return;
  vt_caller_identify(&notification->caller);
  port.pid = notification->caller.process;
  memcpy(port.program, notification->caller.program, sizeof notification->caller.program);
  add(notification->listener, &port);
}

/* Its socket is noted before another thread can look for it. */
static int listen_noted(struct vt_notification *notification, int fd, int backlog) {
  struct vt_world *world = notification->listener->world;
  uint64_t cookie = 0;
  socklen_t size = sizeof cookie;
  if (getsockopt(fd, SOL_SOCKET, SO_COOKIE, &cookie, &size)) return errno;
  pthread_mutex_lock(&world->lock);
  int error = listen(fd, backlog) ? errno : 0;
  if (!error) vt_note_listening(notification->sockets->netlink, world, cookie);
  pthread_mutex_unlock(&world->lock);
  if (!error) note_open_port(notification, fd);
  return error;
}

static int listen_at_name(struct vt_notification *notification, int fd) {
  if (!vt_sockets_ready(notification->sockets)) return EACCES;
  if (listen(fd, (int)vt_argument(notification, 1))) return errno;
  pid_t process = vt_caller_process(&notification->caller);
  vt_note_bound(notification->sockets->netlink, notification->listener->world, fd, NULL, process);
  return 0;
}

static int listen_tied(struct vt_notification *notification, int fd) {
  enum vt_kind kind = vt_kind_of(fd);
  if (kind == VT_KIND_UNIX) return listen_at_name(notification, fd);
  if (!vt_is_tcp(kind)) return -1;
  if (!vt_sockets_ready(notification->sockets) || !(vt_is_tied(fd) || vt_tie(fd))) return EACCES;
  return listen_noted(notification, fd, (int)vt_argument(notification, 1));
}

void vt_handle_listen(struct vt_notification *notification) {
  int fd = notification->sockets ? vt_borrow_proven(notification, (int)vt_argument(notification, 0)) : -1;
  int error = fd >= 0 ? listen_tied(notification, fd) : -1;
  if (fd >= 0) close(fd);
  if (error >= 0) vt_answer(notification, error);
  else vt_refuse(notification);
}

/* SO_REUSEADDR is pretended for other sockets: of two datagram sockets on one port the younger gets the datagrams. */
void vt_handle_reuse(struct vt_notification *notification) {
  int fd = notification->sockets ? vt_borrow_proven(notification, (int)vt_argument(notification, 0)) : -1, value = 0;
  bool read = vt_argument(notification, 4) >= sizeof value &&
              vt_caller_read(&notification->caller, vt_argument(notification, 3), &value, sizeof value) == sizeof value;
  int error = fd < 0 && vt_names_closed(notification) ? EBADF : read ? 0 : EINVAL;
  if (read && fd >= 0 && vt_is_tcp(vt_kind_of(fd))) error = setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &value, sizeof value) ? errno : 0;
  if (fd >= 0) close(fd);
  vt_answer(notification, error);
}
