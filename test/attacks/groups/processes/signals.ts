import { type Attack, attack, by, type Choices, each, succeeds } from '../../attack.ts'
import { ordinaryUser } from '../../needs.ts'
import { victim } from '../../targets/victim.ts'

const row = (attempt: string, choices: Choices = {}) =>
  attack(attempt, by('signals', attempt, '{pid}'), victim, choices)

/** Signals to a process outside, by every call that sends one or has one sent. */
export const signals: readonly Attack[] = [
  ...each(
    row,
    `
    kill | kill group | kill, high bits | SIGKILL | SIGSTOP | tkill | tgkill | rt_sigqueueinfo |
    rt_tgsigqueueinfo | pidfd_send_signal | pidfd_send_signal /proc | F_SETOWN | F_SETOWN, high bits |
    F_SETOWN_EX | F_SETSIG and F_SETOWN | FIOSETOWN
  `,
  ),
  ...each(row, 'signal 0 | signal 0 to the host', { control: succeeds }),
  row('kill -1 with signal 0', {
    control: succeeds,
    needs: [ordinaryUser],
    expect: {
      kind: 'harmless',
      reason: 'kill(2) of every process reports success even where it reached none',
    },
  }),
]
