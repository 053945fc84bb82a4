import { type Attack, neverUnsandboxed, rows, succeeds, succeedsUnless } from '../attack.ts'
import { bindMayRefuse, changesWith, loopback6, succeedsWith } from '../needs.ts'
import { host } from '../targets/host.ts'
import { abstractListener, listenerAtPath, listenerOnPort } from '../targets/listener.ts'

/** Unix sockets stay shut whatever is granted: a tmux server, the Docker socket, D-Bus, an ssh-agent. */
const unix = rows(
  `
  unix_sockets {place} {file} stream: connect => unix: connect | connect, high bits => unix: connect, high bits
    | SCM_RIGHTS => unix: SCM_RIGHTS
  unix_sockets {place} {file} abstract: connect => unix: connect to an abstract name
  unix_sockets {place} {file} seqpacket: connect seqpacket => unix: connect seqpacket
  unix_sockets {place} {file} datagram: connect datagram => unix: connect datagram | sendto => unix: sendto
  unix_sockets {place} {file} abstractDatagram: sendto => unix: sendto to an abstract name
  unix_sockets {place} {file} datagram: pair sendto => unix: pair sendto
  unix_sockets {place} {file} abstractDatagram: pair sendto => unix: pair sendto to an abstract name
  unix_sockets {place} {file} datagram: pair sendto, high bits => unix: pair sendto, high bits
    | pair sendmsg => unix: pair sendmsg | pair connect => unix: pair connect
    | raw pair sendto => unix: raw pair sendto
  unix_sockets {new}: pair bind => unix: pair bind to a path
  unix_sockets @{new} succeeds: pair bind => unix: pair bind to an abstract name
  unix_sockets {new}: bind and listen => unix: bind and listen
  `,
  {
    stream: { target: listenerAtPath('stream') },
    abstract: { target: abstractListener('stream') },
    seqpacket: { target: listenerAtPath('seqpacket') },
    datagram: { target: listenerAtPath('datagram') },
    abstractDatagram: { target: abstractListener('datagram') },
    succeeds,
  },
)

const granted = { network: 'granted' } as const
const admin = succeedsWith('CAP_NET_ADMIN')

/** A port without a listener: below 1024 are root's, from 32768 on the kernel picks (ip(7)). */
const free = 20_000 + (process.pid % 10_000)

/**
 * With the network granted, clients of TCP and UDP; servers and other protocols in no case, nor the groups that an interface then
 * joins for every process, nor options that an administrator alone may set (asm-generic/socket.h, linux/in.h, linux/tcp.h), nor
 * other families (with type and protocol: include/linux/socket.h, include/uapi/linux/in.h, include/uapi/linux/netlink.h). Netlink
 * messages reach another process, or change the machine.
 */
const internet = rows(
  `
  sockets {port} tcp granted: connect tcp
  sockets {port} tcp6 granted: connect tcp6
  sockets {port} udp granted: connect udp | sendto udp
  sockets {port} tcp: connect mptcp
  sockets succeeds: connect sctp
  sockets {port} tcp: sendto MSG_FASTOPEN | sendmsg MSG_FASTOPEN | sendmmsg MSG_FASTOPEN
  sockets binding: bind tcp | bind udp
  sockets ${free} succeeds: serve tcp | serve udp | serve udp6 | race of the port
  sockets succeeds: race of the descriptor
  sockets 12 succeeds: name a pair => name a pair, 12 bytes
  sockets 16 succeeds: name a pair => name a pair, 16 bytes
  sockets 28 succeeds: name a pair => name a pair, 28 bytes
  sockets succeeds: TCP_FASTOPEN_CONNECT | bind and listen | listen without bind | accept | connect vsock
    | IP_ADD_MEMBERSHIP | MCAST_JOIN_GROUP | MCAST_JOIN_GROUP over IPv6 | IPV6_ADD_MEMBERSHIP
    | IP_ADD_SOURCE_MEMBERSHIP
  sockets 1 36 admin: option => SO_MARK
  sockets 1 33 admin: option => SO_RCVBUFFORCE
  sockets 0 19 admin: option => IP_TRANSPARENT
  sockets 6 19 admin: option => TCP_REPAIR
  sockets 2 3 1 raw: socket => socket: raw IPv4
  sockets 10 3 58 raw: socket => socket: raw IPv6
  sockets 17 3 768 raw: socket => socket: packet
  sockets 2 2 1 ping: socket => socket: ping
  sockets 2 2 136 succeeds: socket => socket: UDP-Lite
  sockets 2 6 33 succeeds: socket => socket: DCCP
  sockets 10 1 262 succeeds: socket => socket: MPTCP over IPv6
  sockets 38 5 0 succeeds: socket => socket: AF_ALG
  sockets 40 1 0 succeeds: socket => socket: AF_VSOCK
  sockets 44 3 0 raw: socket => socket: AF_XDP
  sockets 15 3 2 admin: socket => socket: AF_KEY
  sockets 29 3 1 succeeds: socket => socket: AF_CAN
  sockets 31 3 1 succeeds: socket => socket: AF_BLUETOOTH
  sockets 30 1 0 succeeds: socket => socket: AF_TIPC
  sockets 43 1 0 succeeds: socket => socket: AF_SMC
  sockets 42 2 0 succeeds: socket => socket: AF_QIPCRTR
  sockets 16 3 2 succeeds: socket => socket: netlink USERSOCK
  sockets 16 3 12 succeeds: socket => socket: netlink NETFILTER
  sockets 16 3 9 succeeds: socket => socket: netlink AUDIT
  sockets 16 3 11 succeeds: socket => socket: netlink CONNECTOR
  sockets 16 3 15 succeeds: socket => socket: netlink KOBJECT_UEVENT
  sockets 16 3 16 succeeds: socket => socket: netlink GENERIC
  sockets 16 3 6 succeeds: socket => socket: netlink XFRM
  sockets {port} receiver: netlink to a user => netlink to another process
  sockets newAddress: netlink new address => netlink RTM_NEWADDR
  sockets flags: interface flags => SIOCSIFFLAGS on a netlink socket
  sockets 1 2 0 succeeds: socketpair => socketpair datagram
  sockets 2 1 0 none: socketpair => socketpair of IPv4
  `,
  {
    tcp: { target: listenerOnPort('tcp') },
    tcp6: { target: listenerOnPort('tcp6'), needs: [loopback6] },
    udp: { target: listenerOnPort('udp') },
    binding: { ...granted, ...succeedsUnless(bindMayRefuse) },
    granted,
    succeeds,
    admin,
    raw: succeedsWith('CAP_NET_RAW'),
    ping: succeedsUnless({ EACCES: 'net.ipv4.ping_group_range is empty' }),
    receiver: { target: listenerOnPort('netlink') },
    newAddress: { target: host, ...changesWith('CAP_NET_ADMIN') },
    flags: { target: host, ...admin },
    none: neverUnsandboxed('the kernel makes no such pair', 'EACCES'),
  },
)

export const sockets: readonly Attack[] = [...unix, ...internet]
