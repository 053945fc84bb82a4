import { type Attack, attack, by, neverUnsandboxed, succeeds } from '../../attack.ts'
import { capability, parameter } from '../../needs.ts'
import { terminal } from '../../targets/terminal.ts'

const row = (attempt: string, choices: Parameters<typeof attack>[3] = {}) =>
  attack(attempt, by('tty', attempt, '{terminal}'), terminal, choices)

/** The same on a terminal that the command is given as its standard input. */
const onInput = (attempt: string, choices: Parameters<typeof attack>[3] = {}) =>
  attack(`${attempt} on standard input`, by('tty', attempt, '/proc/self/fd/0'), terminal, {
    stdin: { path: '{terminal}', flags: 'r' },
    ...choices,
  })

/** The same by a command that has a terminal of its own. */
const within = (attempt: string, choices: Parameters<typeof attack>[3] = {}) =>
  attack(`${attempt} from a terminal of its own`, by('tty', attempt, '{terminal}'), terminal, {
    pty: true,
    ...choices,
  })

/** There, through the descriptor that another process holds. */
const through = (attempt: string, choices: Parameters<typeof attack>[3] = {}) =>
  attack(`${attempt} through /proc from a terminal of its own`, by('tty', attempt, '{held}'), terminal, {
    pty: true,
    ...choices,
  })

/** On the command's own terminal. */
const own = (attempt: string) =>
  attack(`${attempt} on its own terminal`, by('tty', attempt, '/dev/tty'), terminal, {
    pty: true,
    control: neverUnsandboxed('it is its own, or the console of the user who runs the tests', 'ENOTTY'),
  })

/** Since Linux 6.2 the kernel may keep TIOCSTI for CAP_SYS_ADMIN. */
const injects = {
  control: {
    kind: 'change',
    needs: [() => (capability('CAP_SYS_ADMIN')() ? parameter('dev/tty/legacy_tiocsti', '1')() : null)],
    hostMayRefuse: { EPERM: 'it is not the controlling terminal' },
  },
} as const

/** Another process's terminal, of which read mode grants nothing. */
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

  // From within a terminal of its own, where the settings of this one may be changed.
  within('write'),
  within('open for reading', { control: succeeds }),
  within('TIOCSTI', injects),
  within('TCSETS'),
  within('TIOCSWINSZ'),
  within('TCFLSH'),
  within('TIOCEXCL'),
  within('/dev/ptmx', { control: succeeds }),
  through('TCSETS'),
  through('write'),
  through('open for reading', { control: succeeds }),
  // Its own terminal: what reaches the console, the kernel's line disciplines or the user who types stays refused there too.
  own('TIOCSTI'),
  own('TIOCSTI, high bits'),
  own('TIOCLINUX'),
  own('TIOCCONS'),
  own('TIOCSETD'),
  own('TIOCEXCL'),
  own('TIOCNOTTY'),
  own('KDSETMODE'),
  own('KDSKBMODE'),
  own('VT_ACTIVATE'),
  own('TIOCSCTTY by force'),
]
