/* bind(2): a client's is carried out here, on the borrowed socket with a copy of the address. A continued call could have
 * either replaced after the check. */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/netlink.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "confine/capabilities.h"
#include "confine/probe.h"
#include "notify/dispatch.h"
#include "notify/caller/borrow_fd.h"
#include "notify/caller/own_sandbox.h"
#include "notify/sockets/sockets.h"

union address {
  struct sockaddr any;
  struct sockaddr_in in;
  struct sockaddr_in6 in6;
  struct sockaddr_nl nl;
  struct sockaddr_storage storage;
};

static int option(int fd, int name) {
  int value = -1;
  socklen_t size = sizeof value;
  return getsockopt(fd, SOL_SOCKET, name, &value, &size) ? -1 : value;
}

/* Port 0: clients get a kernel-chosen port anyway when they connect or send, and listen(2) is refused. sin_port and sin6_port
 * have the same offset. */
static bool is_of_client(int fd, const union address *address) {
  int domain = option(fd, SO_DOMAIN);
  if (domain == AF_NETLINK) return true;
  return (domain == AF_INET || domain == AF_INET6) && address->in.sin_port == 0;
}

enum { PROCESS_BITS = 0x3fffff, NOT_A_CLIENTS = -1 };

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

struct binding {
  union address address;
  socklen_t length;
};

static int bind_for(struct vt_notification *notification, int fd, void *context) {
  struct binding *binding = context;
  if (!is_of_client(fd, &binding->address)) return NOT_A_CLIENTS;
  if (option(fd, SO_DOMAIN) == AF_NETLINK && binding->address.nl.nl_groups && has_net_admin()) return NOT_A_CLIENTS;
  if (option(fd, SO_DOMAIN) == AF_NETLINK) return bind_netlink(notification, fd, &binding->address.nl, binding->length);
  return bind(fd, &binding->address.any, binding->length) ? errno : 0;
}

/* Where no descriptor can be borrowed, a client's bind to any address and port is pretended: connect(2) and sendto(2) do the
 * same by themselves. Its other binds are refused, but not reported: getifaddrs(3) makes one in programs that continue without. */
static int pretend_for(const union address *address) {
  if (address->any.sa_family == AF_NETLINK) return EACCES;
  if (address->any.sa_family == AF_INET && address->in.sin_port == 0)
    return address->in.sin_addr.s_addr == INADDR_ANY ? 0 : EACCES;
  if (address->any.sa_family == AF_INET6 && address->in6.sin6_port == 0)
    return IN6_IS_ADDR_UNSPECIFIED(&address->in6.sin6_addr) ? 0 : EACCES;
  return NOT_A_CLIENTS;
}

/* Landlock knows ports, but no netlink sockets. */
static bool is_for_own_sandbox(struct vt_notification *notification, const union address *address) {
  if (address->any.sa_family != AF_NETLINK) notification->own_sandbox = vt_has_own_sandbox(notification);
  return notification->own_sandbox;
}

static int bind_client(struct vt_notification *notification) {
  const __u64 *arguments = notification->notif.data.args;
  struct binding binding = {.address.storage.ss_family = AF_UNSPEC, .length = (socklen_t)arguments[2]};
  if (binding.length > sizeof binding.address) return NOT_A_CLIENTS;
  ssize_t got = vt_caller_read(&notification->caller, arguments[1], &binding.address, binding.length);
  if (got != (ssize_t)binding.length || is_for_own_sandbox(notification, &binding.address)) return NOT_A_CLIENTS;
  if (vt_probe()->getfd_errno) return pretend_for(&binding.address);
  return vt_with_borrowed_fd(notification, (int)arguments[0], bind_for, &binding);
}

void vt_bind_client(struct vt_notification *notification) {
  notification->error = bind_client(notification);
  notification->done = notification->error == 0;
  if (notification->error == NOT_A_CLIENTS) vt_refuse(notification);
}

void vt_handle_bind(struct vt_notification *notification) {
  if (notification->sockets) vt_own_bind(notification);
  else vt_bind_client(notification);
}
