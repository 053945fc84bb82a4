import {
  boolean,
  booleanOrHosts,
  defineKey,
  hostList,
  oneWay,
  onlyAdds,
  onlyFewerHosts,
  userOnly,
} from '../field.ts'

/** `[shell] network` */
export const networkKey = defineKey(
  'Sandboxed: allow TCP and UDP clients (true), or TCP to listed hosts: HOST, *.HOST or an address, with :PORT or for ports 443 and 80.',
  booleanOrHosts,
  false,
  onlyFewerHosts,
)

/** `[shell] own_sockets` */
export const ownSocketsKey = defineKey(
  "Sockets on this machine's loopback, unix sockets, shared memory and terminals among the commands of a shell: in workspace mode, and in read mode with a private TMPDIR. Linux.",
  boolean,
  true,
  oneWay(true, false),
)

const keys = {
  deny: defineKey(
    'Hosts that are refused even if [shell] network lists them; without :PORT on every port.',
    () => hostList(),
    [],
    onlyAdds,
  ),
  ask: defineKey(
    'true: the approver is asked about a host that the list does not name; its yes holds for the command or the session, its no for the session.',
    boolean,
    false,
    userOnly,
  ),
}

export const networkSection = { about: 'What a list of hosts in [shell] network depends on.', keys } as const
