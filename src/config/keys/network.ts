import { boolean, defineKey, hostList, oneWay, onlyAdds } from '../field.ts'

export const networkKeys = {
  deny: defineKey(
    'Hosts that are refused even if [shell] network lists them; without :PORT on every port.',
    hostList(),
    [],
    onlyAdds,
  ),
  ask: defineKey(
    'true: the approver is asked about a host that is not listed.',
    boolean(),
    false,
    oneWay(true, false),
  ),
  check_sni: defineKey(
    'true: a tunnel carries only TLS that names the host it was opened for.',
    boolean(),
    false,
    oneWay(false, true),
  ),
}
