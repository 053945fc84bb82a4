import { type Attack, attack, by, type Choices, each, neverUnsandboxed, succeeds } from '../../attack.ts'
import { capability, parameter } from '../../needs.ts'
import { terminal } from '../../targets/terminal.ts'

const row = (attempt: string, choices: Choices = {}) =>
  attack(attempt, by('tty', attempt, '{terminal}'), terminal, choices)

/** The same on a terminal that the command is given as its standard input. */
const onInput = (attempt: string, choices: Choices = {}) =>
  attack(`${attempt} on standard input`, by('tty', attempt, '/proc/self/fd/0'), terminal, {
    stdin: { path: '{terminal}', flags: 'r' },
    ...choices,
  })

/** The same by a command that has a terminal of its own. */
const within = (attempt: string, choices: Choices = {}) =>
  attack(`${attempt} from a terminal of its own`, by('tty', attempt, '{terminal}'), terminal, {
    pty: true,
    ...choices,
  })

/** There, through the descriptor that another process holds. */
const through = (attempt: string, choices: Choices = {}) =>
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
  ...each(row, 'write | TCSETS | TIOCSWINSZ | TCFLSH | TIOCEXCL'),
  ...each(row, 'open for reading | TIOCSCTTY | /dev/ptmx', { control: succeeds }),
  ...each(row, 'TIOCSTI | TIOCSTI, high bits', injects),
  ...each(onInput, 'TCSETS | write'),
  onInput('TIOCSTI', injects),

  // From within a terminal of its own, where the settings of this one may be changed.
  ...each(within, 'write | TCSETS | TIOCSWINSZ | TCFLSH | TIOCEXCL'),
  ...each(within, 'open for reading | /dev/ptmx', { control: succeeds }),
  within('TIOCSTI', injects),
  ...each(through, 'TCSETS | write'),
  through('open for reading', { control: succeeds }),
  // Its own terminal: what reaches the console, the kernel's line disciplines or the user who types stays refused there too.
  ...each(
    own,
    `
    TIOCSTI | TIOCSTI, high bits | TIOCLINUX | TIOCCONS | TIOCSETD | TIOCEXCL | TIOCNOTTY | KDSETMODE |
    KDSKBMODE | VT_ACTIVATE | TIOCSCTTY by force
  `,
  ),
]
