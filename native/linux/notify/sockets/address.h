/* Addresses of TCP sockets, and the tie of a socket to the loopback device. */
#pragma once

#include <netinet/in.h>
#include <stdbool.h>
#include <sys/socket.h>
#include <sys/un.h>

struct vt_notification;

union vt_address {
  struct sockaddr any;
  struct sockaddr_in in;
  struct sockaddr_in6 in6; /* sin6_port is where sin_port is */
  struct sockaddr_un un;
  struct sockaddr_storage storage;
};

/* Copies the address of a bind(2) or connect(2): 0, or an errno as the kernel's. */
int vt_address_read(const struct vt_notification *notification, union vt_address *address, socklen_t *length);

/* An int option of SOL_SOCKET; -1: none. */
int vt_socket_option(int fd, int name);

enum vt_kind { VT_KIND_OTHER, VT_KIND_UNIX, VT_KIND_TCP4, VT_KIND_TCP6, VT_KIND_DATAGRAM }; /* the last of the Internet's */
enum vt_kind vt_kind_of(int fd);
static inline bool vt_is_tcp(enum vt_kind kind) { return kind == VT_KIND_TCP4 || kind == VT_KIND_TCP6; }

/* Whether the device "lo" has the socket. */
bool vt_is_tied(int fd);

/* Ties the socket to the device "lo", unless another device has it: what it then serves and reaches is on this machine. Without
 * CAP_NET_RAW the kernel permits this once for each socket (net/core/sock.c, sock_bindtoindex_locked; Linux 5.7). */
bool vt_tie(int fd);

/* A link-local address with a scope would give the socket another device, without any capability (net/ipv6/af_inet6.c, __inet6_bind). */
bool vt_changes_device(const union vt_address *address);

/* Whether 127.0.0.0/8, ::1, or another address of this machine. */
bool vt_is_of_this_machine(const union vt_address *plain);

/* In `plain` an IPv4-mapped address is IPv4. */
void vt_address_simplify(const union vt_address *address, union vt_address *plain);

/* Whether it is one of these: "127.0.0.1:80", "[::1]:80". */
bool vt_address_is_among(const union vt_address *plain, char *const *texts);

/* The destination of a TCP socket as the kernel would choose it for an unspecified address. `wire` is what connect(2) gets. 0 or an errno. */
int vt_address_make_concrete(int fd, bool four, const union vt_address *given, socklen_t length, union vt_address *wire,
                             socklen_t *wire_length, union vt_address *plain);
