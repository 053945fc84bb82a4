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

enum vt_kind vt_kind_of(int fd) {
  int domain = vt_socket_option(fd, SO_DOMAIN);
  if (domain == AF_UNIX) return VT_KIND_UNIX;
  if (domain != AF_INET && domain != AF_INET6) return VT_KIND_OTHER;
  int type = vt_socket_option(fd, SO_TYPE);
  if (type == SOCK_DGRAM) return VT_KIND_DATAGRAM;
  if (type != SOCK_STREAM || vt_socket_option(fd, SO_PROTOCOL) != IPPROTO_TCP) return VT_KIND_OTHER;
  return domain == AF_INET ? VT_KIND_TCP4 : VT_KIND_TCP6;
}

bool vt_is_tied(int fd) {
  char name[IFNAMSIZ] = "";
  socklen_t size = sizeof name;
  return getsockopt(fd, SOL_SOCKET, SO_BINDTODEVICE, name, &size) == 0 && strcmp(name, "lo") == 0;
}

/* EPERM: it has a device. */
bool vt_tie(int fd) { return setsockopt(fd, SOL_SOCKET, SO_BINDTODEVICE, "lo", sizeof "lo") == 0 || vt_is_tied(fd); }

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

static union vt_address own_address(int fd) {
  union vt_address own = {.any.sa_family = AF_UNSPEC};
  socklen_t size = sizeof own;
  getsockname(fd, &own.any, &size);
  return own;
}

static void make_concrete_4(int fd, const struct sockaddr_in *given, union vt_address *wire) {
  wire->in = (struct sockaddr_in){.sin_family = AF_INET, .sin_port = given->sin_port, .sin_addr = given->sin_addr};
  if (wire->in.sin_addr.s_addr) return;
  wire->in.sin_addr = own_address(fd).in.sin_addr;
  if (!wire->in.sin_addr.s_addr) wire->in.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
}

static const struct in6_addr mapped_loopback = {.s6_addr = {[10] = 0xff, [11] = 0xff, 127, 0, 0, 1}};

static void make_concrete_6(int fd, const struct sockaddr_in6 *given, union vt_address *wire) {
  wire->in6 = (struct sockaddr_in6){.sin6_family = AF_INET6, .sin6_port = given->sin6_port, .sin6_addr = given->sin6_addr};
  struct in6_addr *to = &wire->in6.sin6_addr;
  bool open = IN6_IS_ADDR_UNSPECIFIED(to) || (IN6_IS_ADDR_V4MAPPED(to) && !to->s6_addr32[3]);
  if (!open) return;
  struct in6_addr bound = own_address(fd).in6.sin6_addr;
  bool mapped = IN6_IS_ADDR_V4MAPPED(&bound);
  if (IN6_IS_ADDR_UNSPECIFIED(to)) *to = mapped ? bound : in6addr_loopback;
  if (IN6_IS_ADDR_V4MAPPED(to) && !to->s6_addr32[3]) *to = mapped && bound.s6_addr32[3] ? bound : mapped_loopback;
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

int vt_address_make_concrete(int fd, bool four, const union vt_address *given, socklen_t length, union vt_address *wire,
                             socklen_t *wire_length, union vt_address *plain) {
  enum { SIN6_LEN_RFC2133 = 24 }; /* linux/ipv6.h: without a scope */
  memset(wire, 0, sizeof *wire);
  if (given->any.sa_family != (four ? AF_INET : AF_INET6)) return EAFNOSUPPORT;
  if (length < (four ? sizeof given->in : SIN6_LEN_RFC2133)) return EINVAL;
  if (vt_changes_device(given)) return EINVAL;
  *wire_length = four ? sizeof wire->in : sizeof wire->in6;
  if (four) make_concrete_4(fd, &given->in, wire);
  else make_concrete_6(fd, &given->in6, wire);
  vt_address_simplify(wire, plain);
  return 0;
}
