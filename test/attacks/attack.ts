/** The programs of test/fixtures/attack, one for each group of system calls. */
export type Program =
  | 'data'
  | 'paths'
  | 'metadata'
  | 'ioctl'
  | 'locks'
  | 'signals'
  | 'processes'
  | 'escape'
  | 'privileges'
  | 'tty'
  | 'fds'
  | 'unix_sockets'
  | 'sockets'
  | 'uring'
  | 'ipc'
  | 'keys'
  | 'namespaces'
  | 'system'
  | 'i386'
  | 'reads'
  | 'supervisor'
  | 'memory'
  | 'listeners'
  | 'private_tmp'
  | 'shared'

/** The programs of test/fixtures/attack/outside: what the test itself runs, never sandboxed. */
export type Helper = 'victim' | 'listener' | 'terminal' | 'look' | 'races'

/** Where the built programs are. */
export type Programs = Readonly<Record<Program | Helper, string>>

/** A command of an attack. Words in braces are replaced by what the target offers. */
export type Command =
  | { readonly program: Program; readonly attempt: string; readonly arguments: readonly string[] }
  | { readonly script: 'sh' | 'python3' | 'node'; readonly text: string }

/** What is there to arrange an attempt with. */
export interface Outside {
  /** Fresh, empty and the attempt's own. */
  readonly directory: string
  readonly programs: Programs
  /** What was left open, without close-on-exec, in the process that holds the shell; null where that is not so. */
  readonly inherited: Inherited | null
}

/** A file and a directory that stand open, for writing and for reading. */
export interface Inherited {
  readonly descriptor: number
  readonly file: string
  readonly directoryDescriptor: number
  readonly directory: string
}

/** The throw-away thing that is attacked. */
export interface Target {
  readonly offers: Readonly<Record<string, string>>
  /** What stands there, seen from outside. The same before and after, or the attack has changed something. */
  observe(): unknown
  dispose(): void | Promise<void>
}

export type Arrange = (outside: Outside) => Target | Promise<Target>

/** Why something cannot be on this machine; null when it can. */
export type Need = () => string | null

/**
 * What proves, outside read mode, that the attempt is a real one.
 * `change`: what the target observes changes. `success`: the call succeeds, and leaves nothing to observe.
 * `none`: it is never made unsandboxed; then `errno` is the filter's own, which the kernel would not give for these
 * arguments (or, where it would, nothing more can be shown).
 */
export type Control =
  | {
      readonly kind: 'change' | 'success'
      /** Without these the attempt is made, and must be refused, but has no control. */
      readonly needs?: readonly Need[]
      /** Errors by which this host itself may refuse, each with the reason. */
      readonly hostMayRefuse?: Readonly<Record<string, string>>
      /** By `child_process` instead of write mode, where write mode itself already takes the means away. */
      readonly plain?: boolean
    }
  | { readonly kind: 'none'; readonly reason: string; readonly errno: string }

/** What read mode makes of the attempt. In none of these cases may the target change. */
export type Expectation =
  | { readonly kind: 'refused' }
  /** The kernel ends the attacker by this signal. */
  | { readonly kind: 'killed'; readonly signal: NodeJS.Signals }
  /** The call may succeed or only seem to. */
  | { readonly kind: 'harmless'; readonly reason: string }

/**
 * With the network granted: `shut` makes no difference, `granted` must then work, `open` is then not asked.
 */
export type WithNetwork = 'shut' | 'granted' | 'open'

/** One attempt to change something outside. */
export interface Attack {
  readonly name: string
  readonly command: Command
  readonly target: Arrange
  readonly control: Control
  readonly expect: Expectation
  readonly network: WithNetwork
  /** Without these the attempt cannot even be made. */
  readonly needs: readonly Need[]
  /** What the command gets as standard input: a path, opened that way. */
  readonly stdin: { readonly path: string; readonly flags: 'r' | 'r+' } | null
  /** The command has a directory that it can write to. */
  readonly privateTmp: boolean
  /** The command has a terminal of its own. */
  readonly pty: boolean
}

/** What a row may leave out. */
export type Choices = Partial<
  Pick<Attack, 'control' | 'expect' | 'network' | 'needs' | 'stdin' | 'privateTmp' | 'pty'>
>

/** One row of the table. Unless it says otherwise: refused in any case, and a change without the sandbox. */
export function attack(name: string, command: Command, target: Arrange, choices: Choices = {}): Attack {
  return {
    name,
    command,
    target,
    control: { kind: 'change' },
    expect: { kind: 'refused' },
    network: 'shut',
    needs: [],
    stdin: null,
    privateTmp: false,
    pty: false,
    ...choices,
  }
}

/** A row for each attempt, with a bar between them. */
export function each<Rest extends readonly unknown[]>(
  row: (attempt: string, ...rest: Rest) => Attack,
  attempts: string,
  ...rest: Rest
): Attack[] {
  return attempts.split('|').map((attempt) => row(attempt.trim(), ...rest))
}

/** A row's command by a program of test/fixtures/attack. */
export function by(program: Program, attempt: string, ...words: readonly string[]): Command {
  return { program, attempt, arguments: words }
}

/** A control that is a success, not a change. */
export const succeeds: Control = { kind: 'success' }

/** No control at all, and the filter's errno instead. */
export function neverUnsandboxed(reason: string, errno: string): Control {
  return { kind: 'none', reason, errno }
}

/** `held`: refused, unchanged, and the control is real. `vacuous`: the control could not do it either. */
export interface Report {
  readonly name: string
  readonly verdict: 'held' | 'broken' | 'vacuous' | 'skipped'
  readonly detail: string
}
