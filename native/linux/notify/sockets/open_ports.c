#include "notify/sockets/open_ports.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

#include "base/basics.h"
#include "core.h"
#include "notify/notification.h"
#include "notify/sockets/address.h"

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
  if (row < end && !row->port) *row = *port;
  pthread_mutex_unlock(&listener->lock);
}

void vt_open_ports_note(struct vt_notification *notification, int fd) {
  struct vt_open_port port;
  memset(&port, 0, sizeof port);
  if (!describe(fd, &port)) return;
  vt_caller_identify(&notification->caller, &notification->known);
  port.pid = notification->caller.process;
  memcpy(port.program, notification->caller.program, sizeof notification->caller.program);
  add(notification->listener, &port);
}
