/* Rows of expectations_arguments.c, in the middle of its table: what is asked of sockets. */
#pragma once

#define SOCKET "socket", 41, 198
#define SOCKETPAIR "socketpair", 53, 199
#define BIND "bind", 49, 200
#define SETSOCKOPT "setsockopt", 54, 208

    /* socket(domain, type, protocol) */
    {SOCKET, ALL, {16, 3, 0}, LET},                    /* NETLINK_ROUTE */
    {SOCKET, ALL, {16, 3 | 02000000, 4}, LET},         /* NETLINK_SOCK_DIAG */
    {SOCKET, ALL, {16, 3, 9}, TELL(EACCES)},                 /* NETLINK_AUDIT */
    {SOCKET, ALL, {16, 3, 2}, TELL(EACCES)},                 /* NETLINK_USERSOCK */
    {SOCKET, NOT_OWN, {1, 1, 0}, TELL(EACCES)},             /* AF_UNIX */
    {SOCKET, ALL, {1, 1, 1}, TELL(EACCES)},
    {SOCKET, NOT_OWN, {1, 5, 0}, TELL(EACCES)},
    {SOCKET, OWN_ON, {1, 5, 0}, LET},
    {SOCKET, OWN_ON, {1, 1, 0}, LET},
    {SOCKET, OWN_ON, {2, 1, 0}, LET},
    {SOCKET, OWN_ON, {10, 1 | 02000000, 6}, LET},
    {SOCKET, OWN_NET_OFF, {2, 2, 0}, ASK}, /* UDP */
    {SOCKET, OWN_NET_OFF, {10, 2 | 02000000, 17}, ASK},
    {SOCKET, OWN_NET_OFF, {2, 2 | 04000, 0}, TELL(EACCES)},
    {SOCKET, OWN_NET_OFF, {10, 2 | 02004000, 17}, TELL(EACCES)},
    {SOCKET, OWN_NET_OFF, {2, 2, 136}, TELL(EACCES)}, /* UDP-Lite */
    {SOCKET, ALL, {1, 2, 0}, TELL(EACCES)},
    {SOCKET, NET_OFF, {2, 1, 0}, TELL(EACCES)},
    {SOCKET, NET_OFF, {10, 2, 17}, TELL(EACCES)},
    {SOCKET, PROXY_ON, {2, 1 | 02000000 | 04000, 0}, LET},
    {SOCKET, PROXY_ON, {10, 1, 6}, LET},
    {SOCKET, PROXY_WITHOUT_OWN, {2, 2, 0}, TELL(EACCES)},  /* no UDP */
    {SOCKET, PROXY_WITHOUT_OWN, {10, 2, 17}, TELL(EACCES)},
    {SOCKET, NET_ON, {2, 1, 0}, LET},
    {SOCKET, NET_ON, {2, 1 | 02000000 | 04000, 6}, LET},
    {SOCKET, NET_ON, {10, 2, 17}, LET},
    {SOCKET, ALL, {2, 3, 255}, TELL(EACCES)},                /* raw */
    {SOCKET, ALL, {2, 3, 0}, TELL(EACCES)},
    {SOCKET, ALL, {2, 2, 1}, TELL(EACCES)},                  /* ping */
    {SOCKET, NOT_OWN, {2, 1, 262}, TELL(EACCES)},            /* MPTCP */
    {SOCKET, OWN_ON, {2, 1, 262}, EPROTONOSUPPORT},
    {SOCKET, ALL, {2, 1, 132}, TELL(EACCES)},                /* SCTP */
    {SOCKET, ALL, {2, 5, 132}, TELL(EACCES)},
    {SOCKET, ALL, {17, 3, 0}, TELL(EACCES)},                 /* AF_PACKET */
    {SOCKET, ALL, {38, 5, 0}, TELL(EACCES)},                 /* AF_ALG */
    {SOCKET, ALL, {40, 1, 0}, TELL(EACCES)},                 /* AF_VSOCK */
    {SOCKET, ALL, {43, 1, 0}, TELL(EACCES)},                 /* AF_SMC */
    {SOCKETPAIR, ALL, {1, 1}, LET},
    {SOCKETPAIR, ALL, {1, 5 | 02000000}, LET},
    {SOCKETPAIR, ALL, {1, 2}, TELL(EACCES)},
    {SOCKETPAIR, ALL, {1, 2 | 04000}, TELL(EACCES)},
    {SOCKETPAIR, ALL, {30, 1}, TELL(EACCES)},                /* AF_TIPC */

    /* bind(fd, address, length): lengths of sockaddr_nl, _in, _in6, _storage */
    {BIND, BIND_JUDGED, {3, 0, 12}, ASK},
    {BIND, BIND_UNJUDGED, {3, 0, 12}, LET},
    {BIND, BIND_UNJUDGED, {3, 0, 16}, TELL(EACCES)},
    {BIND, BIND_UNJUDGED, {3, 0, 28}, TELL(EACCES)},
    {BIND, BIND_UNJUDGED, {3, 0, 128}, TELL(EACCES)},
    {BIND, BIND_JUDGED_NET_OFF, {3, 0, 16}, TELL(EACCES)},
    {BIND, PROXY_ON, {3, 0, 16}, ASK},
    {BIND, PROXY_ON, {3, 0, 28}, ASK},
    {BIND, BIND_JUDGED_NET_ON, {3, 0, 16}, ASK},
    {BIND, BIND_JUDGED_NET_ON, {3, 0, 28}, ASK},
    {BIND, BIND_JUDGED_NET_ON, {3, 0, 128}, ASK},
    {BIND, OWN_ON, {3, 0, 2}, ASK},
    {BIND, OWN_ON, {3, 0, 16}, ASK},
    {BIND, OWN_ON, {3, 0, 110}, ASK},
    {BIND, NOT_OWN, {3, 0, 2}, TELL(EACCES)},   /* autobind of AF_UNIX */
    {BIND, NOT_OWN, {3, 0, 11}, TELL(EACCES)},
    {BIND, NOT_OWN, {3, 0, 110}, TELL(EACCES)}, /* sockaddr_un */

    /* setsockopt(fd, level, option): asm-generic/socket.h, linux/in.h, linux/in6.h, linux/tcp.h, linux/netlink.h */
    {SETSOCKOPT, ALL, {3, 1, 9}, LET},            /* SO_KEEPALIVE */
    {SETSOCKOPT, NOT_OWN, {3, 1, 2}, DONE},       /* SO_REUSEADDR */
    {SETSOCKOPT, OWN_NET_OFF, {3, 1, 2}, LET},
    {SETSOCKOPT, OWN_NET_ON, {3, 1, 2}, ASK},
    {SETSOCKOPT, OWN_NET_OFF, {3, 1, 25}, TELL(EPERM)}, /* SO_BINDTODEVICE */
    {SETSOCKOPT, OWN_NET_OFF, {3, 1, 62}, TELL(EPERM)}, /* SO_BINDTOIFINDEX */
    {SETSOCKOPT, OWN_NET_OFF, {3, 0, 15}, TELL(EPERM)}, /* IP_FREEBIND */
    {SETSOCKOPT, OWN_NET_OFF, {3, 0, 19}, TELL(EPERM)}, /* IP_TRANSPARENT */
    {SETSOCKOPT, OWN_NET_OFF, {3, 41, 50}, TELL(EPERM)}, /* IPV6_PKTINFO */
    {SETSOCKOPT, OWN_NET_OFF, {3, 41, 57}, TELL(EPERM)}, /* IPV6_RTHDR */
    {SETSOCKOPT, OWN_NET_OFF, {3, 41, 78}, TELL(EPERM)}, /* IPV6_FREEBIND */
    {"getsockopt", 55, 209, CONNECTS_ASKED, {3, 1, 4}, ASK}, /* SO_ERROR */
    {"getsockopt", 55, 209, OWN_ON, {3, 1, 17}, ASK}, /* SO_PEERCRED */
    {"getsockopt", 55, 209, NOT_OWN, {3, 1, 17}, LET},
    {"getsockopt", 55, 209, ALL, {3, 1, 3}, LET},
    {"getsockopt", 55, 209, NOT_OWN, {3, 6, 4}, LET},
    {SETSOCKOPT, ALL, {3, 1, 15}, DONE},          /* SO_REUSEPORT */
    {SETSOCKOPT, ALL, {3, 0, 51}, ENOPROTOOPT},   /* IP_LOCAL_PORT_RANGE */
    {SETSOCKOPT, PROXY_ON, {3, 1, 25}, TELL(EPERM)}, /* SO_BINDTODEVICE */
    {SETSOCKOPT, PROXY_ON, {3, 1, 62}, TELL(EPERM)}, /* SO_BINDTOIFINDEX */
    {SETSOCKOPT, PROXY_ON, {3, 0, 4}, TELL(EPERM)},  /* IP_OPTIONS */
    {SETSOCKOPT, NET_ON, {3, 1, 25}, LET},
    {SETSOCKOPT, ALL, {3, 6, 2}, LET},            /* TCP_MAXSEG */
    {SETSOCKOPT, ALL, {3, 6, 1}, LET},            /* TCP_NODELAY */
    {SETSOCKOPT, ALL, {3, 0, 11}, LET},           /* IP_RECVERR */
    {SETSOCKOPT, ALL, {3, 41, 26}, LET},          /* IPV6_V6ONLY */
    {SETSOCKOPT, ALL, {3, 270, 1}, LET},          /* NETLINK_ADD_MEMBERSHIP */
    {SETSOCKOPT, ALL, {3, 6, 23}, ENOPROTOOPT},   /* TCP_FASTOPEN */
    {SETSOCKOPT, ALL, {3, 6, 30}, ENOPROTOOPT},   /* TCP_FASTOPEN_CONNECT */
    {SETSOCKOPT, ALL, {3, 6, 31}, ENOPROTOOPT},   /* TCP_ULP */
    {SETSOCKOPT, ALL, {3, 0, 35}, TELL(EPERM)},   /* IP_ADD_MEMBERSHIP */
    {SETSOCKOPT, ALL, {3, 0, 42}, TELL(EPERM)},   /* MCAST_JOIN_GROUP */
    {SETSOCKOPT, ALL, {3, 41, 20}, TELL(EPERM)},  /* IPV6_ADD_MEMBERSHIP */
    {SETSOCKOPT, ALL, {3, 41, 46}, TELL(EPERM)},  /* MCAST_JOIN_SOURCE_GROUP */
    {SETSOCKOPT, ALL, {3, 255, 0}, TELL(EPERM)},  /* SOL_RAW */
    {SETSOCKOPT, ALL, {3, 132, 0}, TELL(EPERM)},  /* SOL_SCTP */
    {SETSOCKOPT, ALL, {3, 263, 1}, TELL(EPERM)},  /* SOL_PACKET */
    {SETSOCKOPT, ALL, {3, 284, 1}, TELL(EPERM)},  /* SOL_MPTCP */

    /* sendto, sendmmsg (flags: 4th), sendmsg (3rd): MSG_FASTOPEN */
    {"sendto", 44, 206, ALL, {3, 0, 0, 0x4000}, LET},
    {"sendto", 44, 206, NET_ON, {3, 0, 0, 0x20000000}, EOPNOTSUPP},
    {"sendto", 44, 206, PROXY_ON, {3, 0, 0, 0x20000000}, EOPNOTSUPP},
    {"sendto", 44, 206, OWN_ON, {3, 0, 0, 0x20000000}, EOPNOTSUPP},
    {"sendmsg", 46, 211, OWN_ON, {3, 0, 0x20000000}, EOPNOTSUPP},
    {"sendmsg", 46, 211, PROXY_ON, {3, 0, 0x20000000}, EOPNOTSUPP},
    {"sendmmsg", 307, 269, NET_ON, {3, 0, 1, 0x20004000}, EOPNOTSUPP},
    {"sendto", 44, 206, OWN_NET_OFF, {3, 0, 0, 0, 0, 0}, LET},
    {"sendto", 44, 206, OWN_NET_OFF, {3, 0, 0, 0, 0, 12}, LET}, /* sockaddr_nl */
    {"sendto", 44, 206, OWN_NET_OFF, {3, 0, 0, 0, 0, 16}, SEE},
    {"sendto", 44, 206, OWN_NET_OFF, {3, 0, 0, 0, 0, 28}, SEE},
    {"sendto", 44, 206, OWN_NET_ON, {3, 0, 0, 0, 0, 16}, LET},
    {"sendto", 44, 206, NOT_OWN, {3, 0, 0, 0, 0, 16}, LET},
    {"sendmmsg", 307, 269, OWN_NET_OFF, {3, 0, 1, 0}, SEE},
    {"sendmmsg", 307, 269, OWN_NET_ON, {3, 0, 0x20000000, 0}, LET},
    {"sendmmsg", 307, 269, NOT_OWN, {3, 0, 0x20000000, 0}, LET},
    {"sendmsg", 46, 211, NET_ON, {3, 0, 0x20000000}, EOPNOTSUPP},
    {"sendmsg", 46, 211, ALL, {3, 0, 0, 0x20000000}, LET},
