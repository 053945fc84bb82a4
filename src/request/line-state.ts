import { type Environment, type Mode, modes } from '../base/types.ts'
import type { Variables } from './environment.ts'
import { plainScript, terminalScript } from './line-scripts.ts'
import { canBeUnread } from './typed-ahead.ts'

export interface LineState {
  /** The directory of the line's shell; undefined when it has been deleted. */
  readonly cwd: string | undefined
  /** Exported variables that differ from those at the start of the line; null: unset. */
  readonly variables: LineVariables
}

export type LineVariables = Readonly<Record<string, string | null>>

export interface LineOptions {
  /**
   * Exported variables that the line starts with besides those of the shell, in the form of `LineState`. The policy
   * decides with them. Those that a line of a stricter mode left in this shell do not apply, and `Result.hint` names them.
   */
  readonly variables?: LineVariables | undefined
  /** `$?` at the start of the line. Default: 0. */
  readonly exitCode?: number | undefined
  /** Called when the line has run; not called when its shell was killed or replaced (`exec`). */
  readonly onState: (state: LineState) => void
  /** With a terminal: the program was stopped (Ctrl+Z); `Pty.resume` continues it. Default: the line ends. */
  readonly onStopped?: (() => void) | undefined
}

export function withLineVariables(environment: Variables, variables: LineVariables | undefined): Variables {
  if (!variables) return environment
  const named = Object.entries({ ...environment, ...variables })
  return Object.fromEntries(named.filter((entry): entry is [string, string] => entry[1] !== null))
}

/**
 * The variables of a line's state that the environment of its mode would not have like this; undefined: unset. Without OLDPWD, which
 * `cd` sets: the policy takes `cd -` for a change to an unknown directory.
 */
export function besides(variables: LineVariables, usual: Variables): Environment {
  const other = Object.entries(variables).filter(
    ([name, value]) => name !== 'OLDPWD' && (usual[name] ?? null) !== value,
  )
  return Object.fromEntries(other.map(([name, value]) => [name, value ?? undefined]))
}

/** What lines of each mode left. An untrusted command must not influence what is held less. */
export class LeftVariables {
  readonly #last = new Map<string, { readonly mode: Mode; readonly value: string | null }>()
  #bytes = 0

  note(mode: Mode, { variables }: LineState): void {
    for (const [name, value] of Object.entries(variables)) {
      this.#last.set(name, { mode, value })
      this.#bytes += name.length + (value?.length ?? 0)
    }
    // Of what is forgotten the policy asks.
    if (this.#bytes <= 2 * maxBytes) return
    this.#last.clear()
    this.#bytes = 0
  }

  /** The names of those that a stricter mode left as they are. */
  stricter(mode: Mode, variables: LineVariables): readonly string[] {
    return Object.keys(variables).filter((name) => {
      const left = this.#last.get(name)
      return left?.value === variables[name] && left && modes.indexOf(left.mode) < modes.indexOf(mode)
    })
  }
}

/** Variables that a shell changes with every line, and the cookie by which the watcher finds a command. */
const notKept = new Set(['_', 'PWD', 'SHLVL', 'VITRINE_COMMAND'])
/** No environment is larger (execve(2): a quarter of the stack limit). */
const maxBytes = 4 * 1024 * 1024
/** The terminal queues 4096 bytes (N_TTY_BUF_SIZE, drivers/tty/n_tty.c); pipes hold the rest. */
const maxTyped = 1024 * 1024

/** Follows a line of sh that reports on descriptor 3, each part behind a mark with a random word. */
export class LineFollower {
  /** Does not begin with a digit, because it follows an octal escape of printf(1). */
  readonly #word = `v${randomHex()}`
  readonly #marker = new RegExp(`\\0${this.#word}:(\\w+)\\0`)
  readonly #options: LineOptions
  readonly #before: Variables
  /** Unparsed bytes, one per character, and the mark before them. */
  #told = ''
  #mark = ''
  #typed = Buffer.alloc(0)
  #passed = ''
  #isOver = false
  #isStopped = false
  #type: ((text: string) => void) | undefined

  constructor(options: LineOptions, before: Variables) {
    this.#options = options
    this.#before = before
  }

  /** The line to run instead of the given one; the exit code is the same. */
  wrapped(line: string, hasTerminal: boolean): string {
    const script = hasTerminal ? terminalScript : plainScript
    const begun = script.replace('CODE', String(this.#options.exitCode ?? 0))
    return begun.replaceAll('WORD', this.#word).replace('LINE', () => `'${line.replaceAll("'", "'\\''")}'`)
  }

  attend(type: (text: string) => void): void {
    this.#type = type
  }

  end(): void {
    this.#isOver = true
  }

  /** Keeps typed input once no program of the line can read it; false: pass it on. */
  keeps(data: string | Uint8Array): boolean {
    if (this.#isOver) this.#typed = Buffer.concat([this.#typed, Buffer.from(data)])
    else this.#passed = (this.#passed + Buffer.from(data).toString('latin1')).slice(-maxTyped)
    return this.#isOver
  }

  /** Input since the last call that no program of the line has read. */
  takeUnread(): Buffer {
    const unread = this.#typed
    this.#typed = Buffer.alloc(0)
    return unread
  }

  resume(): void {
    this.#isOver = false
    this.#type?.('fg\n')
  }

  take(chunk: Buffer): void {
    if (this.#told.length > maxBytes) return
    this.#told += chunk.toString('latin1')
    for (let found = this.#marker.exec(this.#told); found; found = this.#marker.exec(this.#told)) {
      this.#complete(this.#told.slice(0, found.index))
      this.#told = this.#told.slice(found.index + found[0].length)
      this.#mark = found[1] ?? ''
      this.#begin()
    }
  }

  #complete(text: string): void {
    if (this.#mark === 'state') this.#options.onState(this.#stateIn(text))
    if (this.#mark === 'jobs') this.#isStopped = text.includes('Stopped')
    if (this.#mark !== 'typed') return
    // The line feed before the word was typed by us.
    const unread = text.slice(0, -1)
    if (!canBeUnread(unread, this.#passed)) return
    this.#typed = Buffer.concat([Buffer.from(unread, 'latin1'), this.#typed])
  }

  #begin(): void {
    const { onStopped } = this.#options
    if (this.#mark === 'typed') {
      this.#isOver = true
      this.#type?.(`\n${this.#word}\n${this.#isStopped && onStopped ? '' : 'end\n'}`)
    }
    if (this.#mark === 'drained' && this.#isStopped) onStopped?.()
  }

  #stateIn(text: string): LineState {
    const [directory = '', ...entries] = Buffer.from(text, 'latin1').toString().split('\0')
    const after = new Map(entries.filter((entry) => entry.includes('=')).map(entryOf))
    const names = new Set([...Object.keys(this.#before), ...after.keys()])
    const changed = [...names].filter((name) => !notKept.has(name) && after.get(name) !== this.#before[name])
    return {
      cwd: directory.startsWith('/') ? directory.slice(0, -1) : undefined,
      variables: Object.fromEntries(changed.map((name) => [name, after.get(name) ?? null])),
    }
  }
}

function entryOf(entry: string): [string, string] {
  const at = entry.indexOf('=')
  return [entry.slice(0, at), entry.slice(at + 1)]
}

/** 128 bits, by the global `crypto`, loaded on first use: node:crypto costs start-up time. */
function randomHex(): string {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(16))).toString('hex')
}
