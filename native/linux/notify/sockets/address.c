#define _GNU_SOURCE
#include "notify/sockets/address.h"

#include <arpa/inet.h>
#include <errno.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "notify/notification.h"

int vt_address_read(const struct vt_notification *notification, union vt_address *address, socklen_t *length) {
  uint64_t size = vt_argument(notification, 2);
  memset(address, 0, sizeof *address);
  *length = (socklen_t)size;
  if ((int)size < 0 || *length > sizeof *address) return EINVAL; /* net/socket.c, move_addr_to_kernel */
  if (*length < sizeof address->any.sa_family) return EINVAL;
  return vt_caller_read(&notification->caller, vt_argument(notification, 1), address, *length) == (ssize_t)*length ? 0 : EFAULT;
}

int vt_socket_option(int fd, int name) {
  int value = -1;
  socklen_t size = sizeof value;
  return getsockopt(fd, SOL_SOCKET, name, &value, &size) ? -1 : value;
}

bool vt_is_tcp(int fd) {
  int domain = vt_socket_option(fd, SO_DOMAIN);
  return (domain == AF_INET || domain == AF_INET6) && vt_socket_option(fd, SO_TYPE) == SOCK_STREAM &&
         vt_socket_option(fd, SO_PROTOCOL) == IPPROTO_TCP;
}

bool vt_tie(int fd) {
  char name[IFNAMSIZ] = "";
  socklen_t size = sizeof name;
  setsockopt(fd, SOL_SOCKET, SO_BINDTODEVICE, "lo", sizeof "lo"); /* EPERM: it has a device; which one is asked next */
  return getsockopt(fd, SOL_SOCKET, SO_BINDTODEVICE, name, &size) == 0 && strcmp(name, "lo") == 0;
}

bool vt_changes_device(const union vt_address *address) {
  const struct in6_addr *six = &address->in6.sin6_addr;
  if (address->any.sa_family != AF_INET6) return false;
  return IN6_IS_ADDR_LINKLOCAL(six) || IN6_IS_ADDR_MULTICAST(six) || address->in6.sin6_scope_id;
}

static socklen_t length_of(const union vt_address *plain) {
  return plain->any.sa_family == AF_INET ? sizeof plain->in : sizeof plain->in6;
}

/* A socket can be bound to no other machine's address. */
static bool can_bind(union vt_address address) {
  address.in.sin_port = 0;
  int fd = socket(address.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  bool bound = fd >= 0 && bind(fd, &address.any, length_of(&address)) == 0;
  if (fd >= 0) close(fd);
  return bound;
}

bool vt_is_of_this_machine(const union vt_address *plain) {
  if (plain->any.sa_family == AF_INET && ntohl(plain->in.sin_addr.s_addr) >> 24 == IN_LOOPBACKNET) return true;
  if (plain->any.sa_family == AF_INET6 && IN6_IS_ADDR_LOOPBACK(&plain->in6.sin6_addr)) return true;
  return can_bind(*plain);
}

static int make_concrete_4(const struct sockaddr_in *given, const union vt_address *own, union vt_address *wire) {
  wire->in = (struct sockaddr_in){.sin_family = AF_INET, .sin_port = given->sin_port, .sin_addr = given->sin_addr};
  if (!wire->in.sin_addr.s_addr) wire->in.sin_addr = own->in.sin_addr;
  if (!wire->in.sin_addr.s_addr) wire->in.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return 0;
}

static const struct in6_addr mapped_loopback = {.s6_addr = {[10] = 0xff, [11] = 0xff, 127, 0, 0, 1}};

static int make_concrete_6(const struct sockaddr_in6 *given, const union vt_address *own, union vt_address *wire) {
  const struct in6_addr *bound = &own->in6.sin6_addr;
  bool mapped = IN6_IS_ADDR_V4MAPPED(bound) && bound->s6_addr32[3];
  wire->in6 = (struct sockaddr_in6){.sin6_family = AF_INET6, .sin6_port = given->sin6_port, .sin6_addr = given->sin6_addr};
  struct in6_addr *to = &wire->in6.sin6_addr;
  if (IN6_IS_ADDR_UNSPECIFIED(to)) *to = IN6_IS_ADDR_V4MAPPED(bound) ? *bound : in6addr_loopback;
  if (IN6_IS_ADDR_V4MAPPED(to) && !to->s6_addr32[3]) *to = mapped ? *bound : mapped_loopback;
  return 0;
}

void vt_address_simplify(const union vt_address *address, union vt_address *plain) {
  const struct in6_addr *six = &address->in6.sin6_addr;
  *plain = *address;
  if (address->any.sa_family != AF_INET6 || !IN6_IS_ADDR_V4MAPPED(six)) return;
  memset(plain, 0, sizeof *plain);
  plain->in = (struct sockaddr_in){.sin_family = AF_INET, .sin_port = address->in6.sin6_port, .sin_addr.s_addr = six->s6_addr32[3]};
}

bool vt_address_is_among(const union vt_address *plain, char *const *texts) {
  char host[INET6_ADDRSTRLEN], text[INET6_ADDRSTRLEN + sizeof "[]:65535"];
  bool six = plain->any.sa_family == AF_INET6;
  if (!texts || !*texts || !inet_ntop(plain->any.sa_family, six ? (void *)&plain->in6.sin6_addr : &plain->in.sin_addr, host, sizeof host))
    return false;
  snprintf(text, sizeof text, six ? "[%s]:%u" : "%s:%u", host, ntohs(plain->in.sin_port));
  while (*texts && strcmp(*texts, text)) texts++;
  return *texts;
}

int vt_address_make_concrete(int fd, const union vt_address *given, socklen_t length, union vt_address *wire, socklen_t *wire_length,
                             union vt_address *plain) {
  enum { SIN6_LEN_RFC2133 = 24 }; /* linux/ipv6.h: without a scope */
  union vt_address own = {.any.sa_family = AF_UNSPEC};
  socklen_t size = sizeof own;
  getsockname(fd, &own.any, &size);
  memset(wire, 0, sizeof *wire);
  bool four = vt_socket_option(fd, SO_DOMAIN) == AF_INET;
  if (given->any.sa_family != (four ? AF_INET : AF_INET6)) return EAFNOSUPPORT;
  if (length < (four ? sizeof given->in : SIN6_LEN_RFC2133)) return EINVAL;
  if (vt_changes_device(given)) return EINVAL;
  *wire_length = four ? sizeof wire->in : sizeof wire->in6;
  int error = four ? make_concrete_4(&given->in, &own, wire) : make_concrete_6(&given->in6, &own, wire);
  vt_address_simplify(wire, plain);
  return error;
}
