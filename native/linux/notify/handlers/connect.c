/* connect(2). Of a command whose network is a list of hosts it is carried out here on the borrowed socket, to the proxy's port on
 * loopback and nowhere else. A continued call could have its address replaced after the check. */
#define _GNU_SOURCE
#include "notify/handlers/connect.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include "confine/confinement.h"
#include "notify/caller/borrow_fd.h"
#include "notify/caller/own_sandbox.h"
#include "notify/caller/resolve.h"
#include "notify/dispatch.h"
#include "notify/sockets/sockets.h"

/* Which process is at each port: an entry for each, so that no client displaces another: a command without its entry could use the secret of another one.
 * Pages take memory when they are first used. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
  bool known;
  struct vt_proxy_client client;
} entries[UINT16_MAX + 1];

void vt_proxy_client_add(uint16_t port, const struct vt_proxy_client *client) {
  pthread_mutex_lock(&lock);
  entries[port].known = true;
  entries[port].client = *client;
  pthread_mutex_unlock(&lock);
}

/* Takes the entry out: the port may be another process's next. */
bool vt_core_proxy_client(uint16_t port, struct vt_proxy_client *client) {
  pthread_mutex_lock(&lock);
  bool known = entries[port].known;
  if (known) *client = entries[port].client;
  entries[port].known = false;
  pthread_mutex_unlock(&lock);
  return known;
}

union address {
  struct sockaddr any;
  struct sockaddr_in in;
  struct sockaddr_in6 in6;
};

enum { NOT_THE_PROXY = -1 };

/* Java and others connect IPv6 sockets to the mapped address. */
static bool is_loopback(const union address *address, size_t length) {
  static const uint8_t mapped[16] = {[10] = 0xff, [11] = 0xff, 127, 0, 0, 1};
  if (address->any.sa_family == AF_INET)
    return length >= sizeof address->in && address->in.sin_addr.s_addr == htonl(INADDR_LOOPBACK);
  return address->any.sa_family == AF_INET6 && length >= sizeof address->in6 &&
         memcmp(&address->in6.sin6_addr, mapped, sizeof mapped) == 0;
}

struct connecting {
  union address address;
  socklen_t length;
  struct vt_proxy_client client;
};

/* The proxy may have closed the connection before it was added, and asked for it in vain. */
static bool is_closed(int fd) {
  struct pollfd polled = {fd, POLLRDHUP, 0};
  return poll(&polled, 1, 0) > 0 && (polled.revents & (POLLRDHUP | POLLHUP | POLLERR));
}

/* Before the reply: the client cannot send anything until then, and the proxy looks when it has sent something. Once it is closed,
 * another user of the machine may get the port. */
static void remember(int fd, const struct vt_proxy_client *client) {
  struct vt_proxy_client again;
  union address own;
  socklen_t size = sizeof own;
  if (getsockname(fd, &own.any, &size)) return;
  uint16_t port = ntohs(own.in.sin_port); /* as sin6_port */
  vt_proxy_client_add(port, client);
  if (is_closed(fd)) vt_core_proxy_client(port, &again);
}

/* Only with a stream socket: no other can be made (seccomp_rules.c), but one could come with stdin. */
static int connect_for(struct vt_notification *notification, int fd, void *context) {
  (void)notification;
  struct connecting *connecting = context;
  int type = 0;
  socklen_t size = sizeof type;
  if (getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &size) || type != SOCK_STREAM) return NOT_THE_PROXY;
  int error = connect(fd, &connecting->address.any, connecting->length) ? errno : 0;
  if (error == 0 || error == EINPROGRESS) remember(fd, &connecting->client);
  return error;
}

static void identify(struct vt_notification *notification, struct vt_proxy_client *client) {
  vt_caller_identify(&notification->caller, &notification->known);
  client->command = notification->listener->proxy.command;
  client->pid = notification->caller.process;
  memcpy(client->program, notification->caller.program, sizeof client->program);
}

static int connect_client(struct vt_notification *notification) {
  const __u64 *arguments = notification->notif.data.args;
  struct connecting connecting;
  memset(&connecting, 0, sizeof connecting);
  size_t length = (uint32_t)arguments[2];
  if (length > sizeof connecting.address) length = sizeof connecting.address;
  if (vt_caller_read(&notification->caller, arguments[1], &connecting.address, length) != (ssize_t)length) return NOT_THE_PROXY;
  connecting.length = (socklen_t)length;
  bool proxy = is_loopback(&connecting.address, length) && connecting.address.in.sin_port == htons(notification->listener->proxy.port);
  if (proxy) notification->own_sandbox = vt_has_own_sandbox(notification);
  if (!proxy || notification->own_sandbox) return NOT_THE_PROXY;
  identify(notification, &connecting.client);
  return vt_with_borrowed_fd(notification, (int)arguments[0], connect_for, &connecting);
}

void vt_connect_to_proxy(struct vt_notification *notification) {
  notification->error = connect_client(notification);
  notification->done = notification->error == 0;
  if (notification->error != NOT_THE_PROXY) return;
  if (notification->sockets) vt_own_connect(notification);
  else vt_refuse(notification);
}

static bool is_granted(const struct vt_notification *notification, const struct stat *status) {
  struct stat granted;
  for (char **path = notification->listener->confinement->sockets; *path; path++)
    if (stat(*path, &granted) == 0 && granted.st_dev == status->st_dev && granted.st_ino == status->st_ino) return true;
  return false;
}

/* Whether the path leads to a socket that is not granted. */
static bool reaches_another(const struct vt_notification *notification, const char *path) {
  struct vt_resolved place;
  if (vt_resolve(&notification->caller, AT_FDCWD, path, true, &place)) return false;
  bool another = place.exists && S_ISSOCK(place.status.st_mode) && !is_granted(notification, &place.status);
  vt_resolved_close(&place);
  return another;
}

/* False: no unix socket's, or EFAULT. An abstract name's path is "". */
static bool read_path(const struct vt_notification *notification, char *path) {
  struct sockaddr_un address;
  const size_t before = offsetof(struct sockaddr_un, sun_path);
  memset(&address, 0, sizeof address);
  size_t length = (uint32_t)notification->notif.data.args[2];
  if (length > sizeof address) length = sizeof address;
  ssize_t got = vt_caller_read(&notification->caller, notification->notif.data.args[1], &address, length);
  if (got <= (ssize_t)before || address.sun_family != AF_UNIX) return false;
  memcpy(path, address.sun_path, (size_t)got - before);
  return true;
}

void vt_handle_connect(struct vt_notification *notification) {
  char path[sizeof((struct sockaddr_un){}.sun_path) + 1] = "";
  bool granted = *notification->listener->confinement->sockets && read_path(notification, path);
  if (granted && path[0] && !reaches_another(notification, path)) return;
  if (granted) vt_refuse(notification);
  else if (notification->listener->proxy.port) vt_connect_to_proxy(notification);
  else if (notification->sockets) vt_own_connect(notification);
  else if (notification->listener->world) vt_refuse(notification);
}
