import { type Attack, attack, by, succeeds } from '../../attack.ts'
import { ordinaryUser } from '../../needs.ts'
import { victim } from '../../targets/victim.ts'

const row = (attempt: string, choices: Parameters<typeof attack>[3] = {}) =>
  attack(attempt, by('signals', attempt, '{pid}'), victim, choices)

/** Signals to a process outside, by every call that sends one or has one sent. */
export const signals: readonly Attack[] = [
  row('kill'),
  row('kill group'),
  row('kill, high bits'),
  row('SIGKILL'),
  row('SIGSTOP'),
  row('signal 0', { control: succeeds }),
  row('signal 0 to the host', { control: succeeds }),
  row('kill -1 with signal 0', {
    control: succeeds,
    needs: [ordinaryUser],
    expect: {
      kind: 'harmless',
      reason: 'kill(2) of every process reports success even where it reached none',
    },
  }),
  row('tkill'),
  row('tgkill'),
  row('rt_sigqueueinfo'),
  row('rt_tgsigqueueinfo'),
  row('pidfd_send_signal'),
  row('pidfd_send_signal /proc'),
  row('F_SETOWN'),
  row('F_SETOWN, high bits'),
  row('F_SETOWN_EX'),
  row('F_SETSIG and F_SETOWN'),
  row('FIOSETOWN'),
]
