import { type Attack, attack, by, succeeds } from '../../attack.ts'
import { succeedsWith } from '../../needs.ts'
import { files } from '../../targets/files.ts'
import { listenerAtPath, listenerOnPort } from '../../targets/listener.ts'

/** Within the range that the kernel picks from (ip_local_port_range, ip(7)). */
const port = String(33_000 + (process.pid % 20_000))

const older = { EADDRINUSE: 'this kernel has no IP_LOCAL_PORT_RANGE' }

/** What others use too, set for all of them through a descriptor for reading, or taken under their name. */
export const shared: readonly Attack[] = [
  attack('size of a FIFO', by('shared', 'size of a FIFO', '{place}'), listenerAtPath('pipe')),
  attack('NUMA policy of shared memory', by('shared', 'policy of memory', '{file}'), files, {
    control: { kind: 'success', hostMayRefuse: { EINVAL: 'this kernel has no such node' } },
  }),
  attack("port of one's choice", by('shared', "port of one's choice", port), files, {
    control: { kind: 'success', hostMayRefuse: older },
  }),
  attack('port of another', by('shared', 'port of another', '{port}'), listenerOnPort('shared udp'), {
    control: { kind: 'success', hostMayRefuse: older },
  }),
  attack('netlink number of another', by('shared', 'netlink number of another', String(process.pid)), files, {
    control: succeeds,
  }),
  // RTNLGRP_IPV4_MROUTE_R of linux/rtnetlink.h
  attack(
    "netlink group of CAP_NET_ADMIN's",
    by('shared', 'netlink group', '30'),
    files,
    succeedsWith('CAP_NET_ADMIN'),
  ),
]
