import {
  type Attack,
  attack,
  by,
  type Choices,
  each,
  neverUnsandboxed,
  succeeds,
  type WithNetwork,
} from '../../attack.ts'
import { bindMayRefuse, changesWith, loopback6, succeedsWith } from '../../needs.ts'
import { files } from '../../targets/files.ts'
import { host } from '../../targets/host.ts'
import { abstractListener, listenerAtPath, listenerOnPort } from '../../targets/listener.ts'

const stream = listenerAtPath('stream')
const datagram = listenerAtPath('datagram')

const onUnix = (attempt: string, target = stream, name = attempt) =>
  attack(`unix: ${name}`, by('unix_sockets', attempt, '{place}', '{file}'), target)

/** Unix sockets stay shut whatever is granted: a tmux server, the Docker socket, D-Bus, an ssh-agent. */
const unix: readonly Attack[] = [
  ...each(onUnix, 'connect | connect, high bits | SCM_RIGHTS'),
  onUnix('connect', abstractListener('stream'), 'connect to an abstract name'),
  onUnix('connect seqpacket', listenerAtPath('seqpacket')),
  onUnix('connect datagram', datagram),
  onUnix('sendto', datagram),
  onUnix('sendto', abstractListener('datagram'), 'sendto to an abstract name'),
  onUnix('pair sendto', datagram),
  onUnix('pair sendto', abstractListener('datagram'), 'pair sendto to an abstract name'),
  onUnix('pair sendto, high bits', datagram),
  onUnix('pair sendmsg', datagram),
  onUnix('pair connect', datagram),
  onUnix('raw pair sendto', datagram),
  attack('unix: pair bind to a path', by('unix_sockets', 'pair bind', '{new}'), files),
  attack('unix: pair bind to an abstract name', by('unix_sockets', 'pair bind', '@{new}'), files, {
    control: succeeds,
  }),
  attack('unix: bind and listen', by('unix_sockets', 'bind and listen', '{new}'), files),
]

const onPort = (attempt: string, kind: 'tcp' | 'tcp6' | 'udp', network: WithNetwork) =>
  attack(attempt, by('sockets', attempt, '{port}'), listenerOnPort(kind), {
    network,
    needs: kind === 'tcp6' ? [loopback6] : [],
  })

const alone = (attempt: string, network: WithNetwork) =>
  attack(attempt, by('sockets', attempt), files, { network, control: succeeds })

const binding = (attempt: string) =>
  attack(attempt, by('sockets', attempt), files, {
    network: 'granted',
    control: { kind: 'success', hostMayRefuse: bindMayRefuse },
  })

/** A port without a listener: below 1024 are root's, from 32768 on the kernel picks (ip(7)). */
const onFree = (attempt: string) =>
  attack(attempt, by('sockets', attempt, String(20_000 + (process.pid % 10_000))), files, {
    control: succeeds,
  })

/** With the network granted, clients of TCP and UDP; servers and other protocols in no case. */
const internet: readonly Attack[] = [
  onPort('connect tcp', 'tcp', 'granted'),
  onPort('connect tcp6', 'tcp6', 'granted'),
  ...each(onPort, 'connect udp | sendto udp', 'udp', 'granted'),
  onPort('connect mptcp', 'tcp', 'shut'),
  alone('connect sctp', 'shut'),
  onPort('sendto MSG_FASTOPEN', 'tcp', 'shut'),
  onPort('sendmsg MSG_FASTOPEN', 'tcp', 'shut'),
  onPort('sendmmsg MSG_FASTOPEN', 'tcp', 'shut'),
  ...each(binding, 'bind tcp | bind udp'),
  ...each(onFree, 'serve tcp | serve udp | serve udp6 | race of the port'),
  alone('race of the descriptor', 'shut'),
  ...[12, 16, 28].map((length) =>
    attack(`name a pair, ${length} bytes`, by('sockets', 'name a pair', String(length)), files, {
      control: succeeds,
    }),
  ),
  alone('TCP_FASTOPEN_CONNECT', 'shut'),
  alone('bind and listen', 'shut'),
  alone('listen without bind', 'shut'),
  alone('accept', 'shut'),
  alone('connect vsock', 'shut'),
]

/** Groups that an interface then joins for every process. */
const memberships: readonly Attack[] = [
  'IP_ADD_MEMBERSHIP',
  'MCAST_JOIN_GROUP',
  'MCAST_JOIN_GROUP over IPv6',
  'IPV6_ADD_MEMBERSHIP',
  'IP_ADD_SOURCE_MEMBERSHIP',
].map((attempt) => alone(attempt, 'shut'))

/** asm-generic/socket.h, linux/in.h, linux/tcp.h: options that an administrator alone may set. */
const administration: readonly Attack[] = [
  { name: 'SO_MARK', option: [1, 36] },
  { name: 'SO_RCVBUFFORCE', option: [1, 33] },
  { name: 'IP_TRANSPARENT', option: [0, 19] },
  { name: 'TCP_REPAIR', option: [6, 19] },
].map(({ name, option }) =>
  attack(name, by('sockets', 'option', ...option.map(String)), files, succeedsWith('CAP_NET_ADMIN')),
)

interface Family {
  readonly name: string
  readonly numbers: readonly [family: number, type: number, protocol: number]
  readonly choices?: Choices
}

const raw = succeedsWith('CAP_NET_RAW')
const admin = succeedsWith('CAP_NET_ADMIN')

/** include/linux/socket.h, include/uapi/linux/in.h, include/uapi/linux/netlink.h */
const families: readonly Family[] = [
  { name: 'raw IPv4', numbers: [2, 3, 1], choices: raw },
  { name: 'raw IPv6', numbers: [10, 3, 58], choices: raw },
  { name: 'packet', numbers: [17, 3, 768], choices: raw },
  { name: 'ping', numbers: [2, 2, 1], choices: pingChoices() },
  { name: 'UDP-Lite', numbers: [2, 2, 136] },
  { name: 'DCCP', numbers: [2, 6, 33] },
  { name: 'MPTCP over IPv6', numbers: [10, 1, 262] },
  { name: 'AF_ALG', numbers: [38, 5, 0] },
  { name: 'AF_VSOCK', numbers: [40, 1, 0] },
  { name: 'AF_XDP', numbers: [44, 3, 0], choices: raw },
  { name: 'AF_KEY', numbers: [15, 3, 2], choices: admin },
  { name: 'AF_CAN', numbers: [29, 3, 1] },
  { name: 'AF_BLUETOOTH', numbers: [31, 3, 1] },
  { name: 'AF_TIPC', numbers: [30, 1, 0] },
  { name: 'AF_SMC', numbers: [43, 1, 0] },
  { name: 'AF_QIPCRTR', numbers: [42, 2, 0] },
  { name: 'netlink USERSOCK', numbers: [16, 3, 2] },
  { name: 'netlink NETFILTER', numbers: [16, 3, 12] },
  { name: 'netlink AUDIT', numbers: [16, 3, 9] },
  { name: 'netlink CONNECTOR', numbers: [16, 3, 11] },
  { name: 'netlink KOBJECT_UEVENT', numbers: [16, 3, 15] },
  { name: 'netlink GENERIC', numbers: [16, 3, 16] },
  { name: 'netlink XFRM', numbers: [16, 3, 6] },
]

function pingChoices(): Choices {
  return { control: { kind: 'success', hostMayRefuse: { EACCES: 'net.ipv4.ping_group_range is empty' } } }
}

const family = ({ name, numbers, choices }: Family): Attack =>
  attack(`socket: ${name}`, by('sockets', 'socket', ...numbers.map(String)), files, {
    control: succeeds,
    ...choices,
  })

/** Netlink messages that reach another process, or change the machine. */
const netlink: readonly Attack[] = [
  attack(
    'netlink to another process',
    by('sockets', 'netlink to a user', '{port}'),
    listenerOnPort('netlink'),
  ),
  attack('netlink RTM_NEWADDR', by('sockets', 'netlink new address'), host, changesWith('CAP_NET_ADMIN')),
  attack('SIOCSIFFLAGS on a netlink socket', by('sockets', 'interface flags'), host, admin),
  attack('socketpair datagram', by('sockets', 'socketpair', '1', '2', '0'), files, { control: succeeds }),
  attack('socketpair of IPv4', by('sockets', 'socketpair', '2', '1', '0'), files, {
    control: neverUnsandboxed('the kernel makes no such pair', 'EACCES'),
  }),
]

export const sockets: readonly Attack[] = [
  ...unix,
  ...internet,
  ...memberships,
  ...administration,
  ...families.map(family),
  ...netlink,
]
