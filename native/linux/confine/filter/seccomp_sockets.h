/* The rules of socket calls, a part of the table in seccomp_rules.c. */
#pragma once

#include <asm/socket.h>
#include <errno.h>
#include <linux/in.h>
#include <linux/in6.h>
#include <linux/netlink.h>
#include <linux/socket.h>
#include <linux/tcp.h>

#include "confine/filter/seccomp_constants.h"
#include "confine/filter/seccomp_groups.h"

/* Left out: MPTCP, SCTP, SMC and raw sockets, which Landlock's TCP rules do not cover (landlock(7)). */
#define READING_NETLINK IS(0, VT_AF_NETLINK), IS(2, NETLINK_ROUTE, NETLINK_SOCK_DIAG)
#define PLAIN_INTERNET \
  IS(0, VT_AF_INET, VT_AF_INET6), MASKED(1, VT_SOCK_TYPE_MASK, VT_SOCK_STREAM, VT_SOCK_DGRAM), \
      IS(2, IPPROTO_IP, IPPROTO_TCP, IPPROTO_UDP)
#define PLAIN_TCP \
  IS(0, VT_AF_INET, VT_AF_INET6), MASKED(1, VT_SOCK_TYPE_MASK, VT_SOCK_STREAM), IS(2, IPPROTO_IP, IPPROTO_TCP)
/* Not of those who wait for datagrams: resolvers, Node and Go make theirs with SOCK_NONBLOCK, and do without if that fails. */
#define BLOCKING_UDP \
  IS(0, VT_AF_INET, VT_AF_INET6), MASKED(1, VT_SOCK_TYPE_MASK | VT_O_NONBLOCK, VT_SOCK_DGRAM), IS(2, IPPROTO_IP, IPPROTO_UDP)
static const struct vt_rule socket_rules[] = {
    {EVER, {READING_NETLINK}, ALLOW},
    {NETWORK, {PLAIN_INTERNET}, ALLOW},
    {PROXIED, {PLAIN_TCP}, ALLOW},
    {OWN_SOCKETS, {PLAIN_TCP}, ALLOW},
    {OWN_SOCKETS,
     {IS(0, VT_AF_UNIX), MASKED(1, VT_SOCK_TYPE_MASK, VT_SOCK_STREAM, VT_SOCK_SEQPACKET), IS(2, IPPROTO_IP)},
     ALLOW},
    {OWN_SOCKETS | NO_NETWORK, {BLOCKING_UDP}, JUDGE}, /* one that does nothing (notify/sockets/udp.c) */
    /* Go, curl and others then use TCP. */
    {OWN_SOCKETS, {IS(0, VT_AF_INET, VT_AF_INET6), MASKED(1, VT_SOCK_TYPE_MASK, VT_SOCK_STREAM), IS(2, VT_IPPROTO_MPTCP)},
     FAIL(EPROTONOSUPPORT)},
};
/* With NETWORK Landlock decides; the notifier connects to the proxy. */
static const struct vt_rule connect_rules[] = {
    {OWN_SOCKETS, {ANY_ARGUMENTS}, JUDGE},
    {PROXIED, {ANY_ARGUMENTS}, JUDGE},
    {NO_NETWORK, {ANY_ARGUMENTS}, REFUSE(EACCES)},
};

/* A datagram pair could still sendmsg() to any path (unix(7)). */
static const struct vt_rule socketpair_rules[] = {
    {EVER, {IS(0, VT_AF_UNIX), MASKED(1, VT_SOCK_TYPE_MASK, VT_SOCK_STREAM, VT_SOCK_SEQPACKET)}, ALLOW}};

/* Clients bind too: netlink sockets always, internet sockets to a port that the kernel picks. Not allowed are a server's port,
 * and an abstract name for one end of a socket pair, which no other process could then use. The address is in memory, unseen
 * by the filter: the notifier binds (notify/handlers/connect.c). Without a listener only netlink is allowed, by its address
 * length. */
static const struct vt_rule bind_rules[] = {
    {NO_LISTENER, {IS(2, sizeof(struct sockaddr_nl))}, ALLOW},
    {LISTENER, {IS(2, sizeof(struct sockaddr_nl))}, JUDGE},
    {OWN_SOCKETS, {ANY_ARGUMENTS}, JUDGE},
    {PROXIED, {IS(2, sizeof(struct sockaddr_in), sizeof(struct sockaddr_in6), sizeof(struct __kernel_sockaddr_storage))}, JUDGE},
    {LISTENER | NETWORK, {IS(2, sizeof(struct sockaddr_in), sizeof(struct sockaddr_in6), sizeof(struct __kernel_sockaddr_storage))}, JUDGE},
};

/* Those of the command's own sockets, and of descriptors that came with it, which can do no more than before. */
static const struct vt_rule listen_rules[] = {{OWN_SOCKETS, {ANY_ARGUMENTS}, JUDGE}};
static const struct vt_rule accept_rules[] = {{OWN_SOCKETS, {ANY_ARGUMENTS}, ALLOW}};

/* A signal can interrupt a notified connect(2) before it is received. A caller then waits for the socket to be writable, as a new one is
 * anyway, and asks for its error (connect(2), EINTR): it must not be told that there is none. */
static const struct vt_rule getsockopt_rules[] = {
    {CONNECTS_NOTIFIED, {IS(1, SOL_SOCKET), IS(2, SO_ERROR)}, JUDGE},
    /* It would name the process that made the connection for the command. */
    {OWN_SOCKETS, {IS(1, SOL_SOCKET), IS(2, SO_PEERCRED)}, JUDGE}};

/* Fast open connects without Landlock's check of connect(2); TCP_ULP makes SMC of TCP. Multicast membership changes what the
 * interface receives for all; flow labels belong to the network namespace. Of two sockets on one port (SO_REUSEADDR) the
 * younger gets the datagrams, and IP_LOCAL_PORT_RANGE could pick another process's port. Clients need neither; some set
 * SO_REUSEADDR. A socket that is connected to the proxy could be turned to a network device, or to a route by another host
 * (IP_OPTIONS), and what it sends would leave the machine. */
#define ROUTING_OPTIONS_6 \
  IPV6_2292PKTINFO, IPV6_2292HOPOPTS, IPV6_2292DSTOPTS, IPV6_2292RTHDR, IPV6_2292PKTOPTIONS, IPV6_PKTINFO, \
      IPV6_HOPOPTS, IPV6_RTHDRDSTOPTS, IPV6_RTHDR, IPV6_DSTOPTS, IPV6_TRANSPARENT, IPV6_FREEBIND
#define JOINING MCAST_JOIN_GROUP, MCAST_JOIN_SOURCE_GROUP, MCAST_MSFILTER
static const struct vt_rule setsockopt_rules[] = {
    {EVER, {IS(1, VT_SOL_TCP), IS(2, TCP_FASTOPEN, TCP_FASTOPEN_CONNECT, TCP_FASTOPEN_KEY, TCP_ULP)},
     FAIL(ENOPROTOOPT)},
    {OWN_SOCKETS | NO_NETWORK, {IS(1, SOL_SOCKET), IS(2, SO_REUSEADDR)}, ALLOW},
    {OWN_SOCKETS, {IS(1, SOL_SOCKET), IS(2, SO_REUSEADDR)}, JUDGE},
    {EVER, {IS(1, SOL_SOCKET), IS(2, SO_REUSEADDR, SO_REUSEPORT)}, PRETEND},
    {EVER, {IS(1, VT_SOL_IP), IS(2, VT_IP_LOCAL_PORT_RANGE)}, FAIL(ENOPROTOOPT)},
    {UNROUTED, {IS(1, SOL_SOCKET), IS(2, SO_BINDTODEVICE, VT_SO_BINDTOIFINDEX)}, REFUSE(EPERM)},
    {UNROUTED, {IS(1, VT_SOL_IP), IS(2, IP_OPTIONS, IP_FREEBIND, IP_TRANSPARENT)}, REFUSE(EPERM)},
    {UNROUTED, {IS(1, VT_SOL_IPV6), IS(2, ROUTING_OPTIONS_6)}, REFUSE(EPERM)},
    {EVER,
     {IS(1, VT_SOL_IP), IS(2, IP_ADD_MEMBERSHIP, IP_ADD_SOURCE_MEMBERSHIP, IP_MSFILTER, JOINING)},
     REFUSE(EPERM)},
    {EVER,
     {IS(1, VT_SOL_IPV6), IS(2, IPV6_ADD_MEMBERSHIP, IPV6_JOIN_ANYCAST, VT_IPV6_FLOWLABEL_MGR, JOINING)},
     REFUSE(EPERM)},
    {EVER, {IS(1, SOL_SOCKET, VT_SOL_IP, VT_SOL_TCP, VT_SOL_UDP, VT_SOL_IPV6, VT_SOL_NETLINK)}, ALLOW},
};

/* MSG_FASTOPEN connects without Landlock's check of connect(2). What is sent to an address of other than netlink, or by sendmmsg(2), is of
 * UDP: it goes nowhere, which is reported. */
static const struct vt_rule sendto_rules[] = {
    {NETWORK, {HAS_ANY(3, VT_MSG_FASTOPEN)}, FAIL(EOPNOTSUPP)},
    {UNROUTED, {HAS_ANY(3, VT_MSG_FASTOPEN)}, FAIL(EOPNOTSUPP)},
    {OWN_SOCKETS | NO_NETWORK, {IS(5, sizeof(struct sockaddr_nl))}, ALLOW},
    {OWN_SOCKETS | NO_NETWORK, {HAS_ANY(5, UINT32_MAX)}, WATCH},
};
static const struct vt_rule sendmmsg_rules[] = {
    {NETWORK, {HAS_ANY(3, VT_MSG_FASTOPEN)}, FAIL(EOPNOTSUPP)},
    {UNROUTED, {HAS_ANY(3, VT_MSG_FASTOPEN)}, FAIL(EOPNOTSUPP)},
    {OWN_SOCKETS | NO_NETWORK, {ANY_ARGUMENTS}, WATCH},
};
static const struct vt_rule sendmsg_rules[] = {
    {NETWORK, {HAS_ANY(2, VT_MSG_FASTOPEN)}, FAIL(EOPNOTSUPP)},
    {UNROUTED, {HAS_ANY(2, VT_MSG_FASTOPEN)}, FAIL(EOPNOTSUPP)},
};
