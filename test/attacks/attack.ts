import { files } from './targets/files.ts'

/** The programs of test/fixtures/attack that arrange an attempt and look at what became of it, and those that other tests run. */
type Outer = 'victim' | 'listener' | 'terminal' | 'look' | 'ipc' | 'keys'
type Known =
  | Outer
  | 'races'
  | 'reads'
  | 'shared'
  | 'escape'
  | 'uring'
  | 'signals'
  | 'processes'
  | 'supervisor'

/** Where the built programs are. */
export type Programs = Readonly<Record<string, string>> & Readonly<Record<Known, string>>

/** A command of an attack. Words in braces are replaced by what the target offers. */
export type Command =
  | { readonly program: string; readonly attempt: string; readonly arguments: readonly string[] }
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

/** One attempt to change something outside. */
export interface Attack {
  readonly name: string
  readonly command: Command
  readonly target: Arrange
  readonly control: Control
  readonly expect: Expectation
  /** With the network granted: `shut` makes no difference, `granted` must then work. */
  readonly network: 'shut' | 'granted'
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
export type Choices = Partial<Omit<Attack, 'name' | 'command'>>

/** One row of the table. Unless it says otherwise: aimed at files, refused in any case, and a change without the sandbox. */
export function attack(name: string, command: Command, ...choices: readonly Choices[]): Attack {
  return {
    name,
    command,
    target: files,
    control: { kind: 'change' },
    expect: { kind: 'refused' },
    network: 'shut',
    needs: [],
    stdin: null,
    privateTmp: false,
    pty: false,
    ...Object.assign({}, ...choices),
  }
}

/**
 * Rows of programs' attempts. A line of the text has the program, its arguments, and among them names of choices; a colon; and the
 * attempts, with bars between them. `=>` gives a row another name than the attempt has. A line that begins with a bar goes on.
 */
export function rows(
  text: string,
  named: Readonly<Record<string, Choices | ((argument: string) => Choices)>> = {},
  always: Choices = {},
): Attack[] {
  return text
    .trim()
    .split(/\n(?! *\|)/)
    .flatMap((line) => {
      const [, head = '', attempts = ''] = /^([^:]*):(.*)$/s.exec(line) ?? []
      const [program = '', ...words] = head.trim().split(' ')
      const chosen = words.map((word) => {
        const choice = named[word]
        return typeof choice === 'function' ? choice(words[0] ?? '') : (choice ?? {})
      })
      return attempts.split(/\s+\|\s+/).map((part) => {
        const [attempt = '', name = attempt] = part.split('=>').map((side) => side.trim())
        const given = words.filter((word) => !(word in named))
        return attack(name, { program, attempt, arguments: given }, always, ...chosen)
      })
    })
}

/** A control that is a success, not a change; with the errors by which this host itself may refuse. */
export function succeedsUnless(hostMayRefuse: Readonly<Record<string, string>>): Choices {
  return { control: { kind: 'success', hostMayRefuse } }
}

export const succeeds = succeedsUnless({})

export function changesUnless(hostMayRefuse: Readonly<Record<string, string>>): Choices {
  return { control: { kind: 'change', hostMayRefuse } }
}

/** No control at all, and the filter's errno instead. */
export function neverUnsandboxed(reason: string, errno: string): Choices {
  return { control: { kind: 'none', reason, errno } }
}

/** Read mode may let it seem to succeed. */
export function harmless(reason: string): Choices {
  return { expect: { kind: 'harmless', reason } }
}

/** `held`: refused, unchanged, and the control is real. `vacuous`: the control could not do it either. */
export interface Report {
  readonly name: string
  readonly verdict: 'held' | 'broken' | 'vacuous' | 'skipped'
  readonly detail: string
}
