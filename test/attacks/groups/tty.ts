import { type Attack, attack, by, succeeds } from '../attack.ts'
import { capability, parameter } from '../needs.ts'
import { terminal } from '../targets/terminal.ts'

const row = (attempt: string, choices: Parameters<typeof attack>[3] = {}) =>
  attack(attempt, by('tty', attempt, '{terminal}'), terminal, choices)

/** The same on a terminal that the command is given as its standard input. */
const onInput = (attempt: string, choices: Parameters<typeof attack>[3] = {}) =>
  attack(`${attempt} on standard input`, by('tty', attempt, '/proc/self/fd/0'), terminal, {
    stdin: { path: '{terminal}', flags: 'r' },
    ...choices,
  })

/** Since Linux 6.2 the kernel may keep TIOCSTI for CAP_SYS_ADMIN. */
const injects = {
  control: {
    kind: 'change',
    needs: [() => (capability('CAP_SYS_ADMIN')() ? parameter('dev/tty/legacy_tiocsti', '1')() : null)],
    hostMayRefuse: { EPERM: 'it is not the controlling terminal' },
  },
} as const

/** A terminal of somebody else's, of which read mode grants nothing. */
export const tty: readonly Attack[] = [
  row('write'),
  row('open for reading', { control: succeeds }),
  row('TIOCSTI', injects),
  row('TIOCSTI, high bits', injects),
  row('TCSETS'),
  row('TIOCSWINSZ'),
  row('TCFLSH'),
  row('TIOCSCTTY', { control: succeeds }),
  row('TIOCEXCL'),
  row('/dev/ptmx', { control: succeeds }),
  onInput('TCSETS'),
  onInput('TIOCSTI', injects),
  onInput('write'),
]
