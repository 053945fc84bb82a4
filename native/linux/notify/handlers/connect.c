/* bind(2) and connect(2) of clients, carried out here on the borrowed socket with a copy of the address: a continued call could have
 * either replaced after the check. A command whose network is a list of hosts is connected to the proxy's port on loopback and nowhere
 * else. */
#define _GNU_SOURCE
#include "notify/dispatch.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "confine/capabilities.h"
#include "confine/confinement.h"
#include "confine/probe.h"
#include "notify/caller/caller.h"
#include "notify/caller/place.h"
#include "notify/sockets/address.h"
#include "notify/sockets/sockets.h"

/* Which process is at each port: an entry for each, so that no client displaces another: a command without its entry could use the secret
 * of another one. Pages take memory when they are first used. */
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

enum { NOT_OURS = -1 };

/* The proxy may have closed the connection before it was added, and asked for it in vain. */
static bool is_closed(int fd) {
  struct pollfd polled = {fd, POLLRDHUP, 0};
  return poll(&polled, 1, 0) > 0 && (polled.revents & (POLLRDHUP | POLLHUP | POLLERR));
}

/* Before the reply: the client cannot send anything until then, and the proxy looks when it has sent something. Once it is closed,
 * another user of the machine may get the port. */
static void remember(int fd, const struct vt_proxy_client *client) {
  struct vt_proxy_client again;
  union vt_address own;
  socklen_t size = sizeof own;
  if (getsockname(fd, &own.any, &size)) return;
  uint16_t port = ntohs(own.in.sin_port); /* as sin6_port */
  vt_proxy_client_add(port, client);
  if (is_closed(fd)) vt_core_proxy_client(port, &again);
}

/* Only with a stream socket: no other can be made (seccomp_rules.c), but one could come with stdin. */
static int connect_for(int fd, const union vt_address *address, socklen_t length, const struct vt_proxy_client *client) {
  if (vt_socket_option(fd, SO_TYPE) != SOCK_STREAM) return NOT_OURS;
  int error = connect(fd, &address->any, length) ? errno : 0;
  if (error == 0 || error == EINPROGRESS) remember(fd, client);
  return error;
}

static void identify(struct vt_notification *notification, struct vt_proxy_client *client) {
  vt_caller_identify(&notification->caller);
  client->command = notification->listener->proxy.command;
  client->pid = notification->caller.process;
  memcpy(client->program, notification->caller.program, sizeof client->program);
}

/* Java and others connect IPv6 sockets to the mapped address. */
static bool is_proxy(const struct vt_notification *notification, const union vt_address *address) {
  union vt_address plain;
  vt_address_simplify(address, &plain);
  return plain.any.sa_family == AF_INET && plain.in.sin_addr.s_addr == htonl(INADDR_LOOPBACK) &&
         plain.in.sin_port == htons(notification->listener->proxy.port);
}

static int connect_client(struct vt_notification *notification) {
  union vt_address address;
  socklen_t length;
  struct vt_proxy_client client;
  if (vt_address_read(notification, &address, &length) || !is_proxy(notification, &address)) return NOT_OURS;
  if (vt_is_for_own_sandbox(notification)) return NOT_OURS;
  identify(notification, &client);
  int fd = vt_borrow_proven(notification, (int)vt_argument(notification, 0));
  int error = fd < 0 ? NOT_OURS : connect_for(fd, &address, length, &client);
  if (fd >= 0) close(fd);
  return error;
}

static void connect_to_proxy(struct vt_notification *notification) {
  int error = connect_client(notification);
  if (error != NOT_OURS) return vt_answer(notification, error);
  if (notification->sockets) vt_own_connect(notification);
  else vt_refuse(notification);
}

void vt_handle_connect(struct vt_notification *notification) {
  if (notification->listener->proxy.port) connect_to_proxy(notification);
  else if (notification->sockets) vt_own_connect(notification);
  else if (notification->listener->world) vt_refuse(notification);
}

/* Port 0: clients get a kernel-chosen port anyway when they connect or send, and listen(2) is refused. sin_port and sin6_port
 * have the same offset. */
static bool is_of_client(int fd, const union vt_address *address) {
  int domain = vt_socket_option(fd, SO_DOMAIN);
  if (domain == AF_NETLINK) return true;
  return (domain == AF_INET || domain == AF_INET6) && address->in.sin_port == 0;
}

enum { PROCESS_BITS = 0x3fffff };

/* Some multicast groups need CAP_NET_ADMIN (netlink(7)). If this thread has it, groups are refused here; the command can join
 * with setsockopt(2), under its own capabilities: none. */
static bool has_net_admin(void) {
  struct __user_cap_data_struct data[2];
  return vt_capabilities_read(data) || (data[0].effective & (1u << CAP_NET_ADMIN));
}

/* With nl_pid 0 the kernel would assign our process id (netlink(7)), so the caller's is filled in. Ids made from another
 * process's are refused; libraries set bits above the process id. */
static int bind_netlink(const struct vt_notification *notification, int fd, struct sockaddr_nl *address, socklen_t length) {
  uint32_t process = (uint32_t)vt_caller_process(&notification->caller);
  bool numbered = address->nl_pid == 0;
  if (numbered) address->nl_pid = process;
  if ((address->nl_pid & PROCESS_BITS) != (process & PROCESS_BITS)) return EADDRINUSE;
  if (bind(fd, (struct sockaddr *)address, length) == 0) return 0;
  if (!numbered || errno != EADDRINUSE) return errno;
  address->nl_pid = 0;
  return bind(fd, (struct sockaddr *)address, length) ? errno : 0;
}

static int bind_for(const struct vt_notification *notification, int fd, union vt_address *address, socklen_t length) {
  if (!is_of_client(fd, address)) return NOT_OURS;
  if (vt_socket_option(fd, SO_DOMAIN) != AF_NETLINK) return bind(fd, &address->any, length) ? errno : 0;
  struct sockaddr_nl *netlink = (struct sockaddr_nl *)&address->any;
  return netlink->nl_groups && has_net_admin() ? NOT_OURS : bind_netlink(notification, fd, netlink, length);
}

/* Where no descriptor can be borrowed, a client's bind to any address and port is pretended: connect(2) and sendto(2) do the
 * same by themselves. Its other binds are refused, but not reported: getifaddrs(3) makes one in programs that continue without. */
static int pretend_for(const union vt_address *address) {
  if (address->any.sa_family == AF_NETLINK) return EACCES;
  if (address->any.sa_family == AF_INET && address->in.sin_port == 0)
    return address->in.sin_addr.s_addr == INADDR_ANY ? 0 : EACCES;
  if (address->any.sa_family == AF_INET6 && address->in6.sin6_port == 0)
    return IN6_IS_ADDR_UNSPECIFIED(&address->in6.sin6_addr) ? 0 : EACCES;
  return NOT_OURS;
}

/* Landlock knows ports, but no netlink sockets. */
static bool is_for_own_sandbox(struct vt_notification *notification, const union vt_address *address) {
  return address->any.sa_family != AF_NETLINK && vt_is_for_own_sandbox(notification);
}

static int bind_client(struct vt_notification *notification) {
  union vt_address address;
  socklen_t length;
  if (vt_address_read(notification, &address, &length) || is_for_own_sandbox(notification, &address)) return NOT_OURS;
  if (vt_probe()->getfd_errno) return pretend_for(&address);
  int fd = vt_borrow_proven(notification, (int)vt_argument(notification, 0));
  int error = fd < 0 ? NOT_OURS : bind_for(notification, fd, &address, length);
  if (fd >= 0) close(fd);
  return error;
}

void vt_handle_bind(struct vt_notification *notification) {
  if (notification->sockets && vt_own_bind(notification)) return;
  int error = bind_client(notification);
  if (error == NOT_OURS) vt_refuse(notification);
  else vt_answer(notification, error);
}
