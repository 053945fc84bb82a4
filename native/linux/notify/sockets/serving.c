/* bind(2) and listen(2) of a command's own TCP sockets: carried out here, on the borrowed socket with a copy of the address. A continued
 * call could have either replaced after the check. */
#define _GNU_SOURCE
#include <errno.h>
#include <net/if.h>
#include <string.h>
#include <unistd.h>

#include "confine/confinement.h"
#include "notify/caller/caller.h"
#include "notify/dispatch.h"
#include "notify/sockets/inert.h"
#include "notify/sockets/listening.h"
#include "notify/sockets/open_ports.h"
#include "notify/sockets/own_unix.h"
#include "notify/sockets/unix_bound.h"
#include "notify/sockets/sockets.h"
#include "notify/world/world.h"

bool vt_sockets_ready(struct vt_sockets *sockets) {
  if (sockets->netlink >= 0) return true;
  sockets->device = (int)if_nametoindex("lo");
  if (sockets->device) sockets->netlink = vt_listening_open();
  return sockets->netlink >= 0;
}

static void answer(struct vt_notification *notification, int error) {
  notification->error = error;
  notification->done = error == 0;
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

bool vt_own_bind(struct vt_notification *notification) {
  union vt_address address;
  socklen_t length;
  int error = vt_address_read(notification, &address, &length);
  if (error) return answer(notification, error), true;
  int fd = vt_borrow_proven(notification, (int)vt_argument(notification, 0));
  enum vt_kind kind = fd >= 0 ? vt_kind_of(fd) : VT_KIND_OTHER;
  bool inert = vt_is_inert(notification, kind);
  if (kind == VT_KIND_UNIX) bind_local(notification, fd, &address, length);
  else if (vt_is_tcp(kind)) bind_tcp(notification, fd, &address, length);
  else if (inert) vt_inert_bind(notification, fd, &address, length);
  if (fd >= 0) close(fd);
  return kind != VT_KIND_OTHER && (kind != VT_KIND_DATAGRAM || inert);
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
  if (error >= 0) answer(notification, error);
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
  answer(notification, error);
}
