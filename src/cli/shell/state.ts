import type { LineState, LineVariables, Mode } from '../../internal.ts'

/**
 * What lines leave behind for the next ones: the directory, and exported variables. What was exported in read mode stays there:
 * a command of read mode, which may be anything, says nothing about what runs unsandboxed.
 */
export class SessionState {
  directory: string
  readonly #variables: Record<Mode, LineVariables> = { read: {}, write: {} }

  constructor(directory: string) {
    this.directory = directory
  }

  /** The exported variables that a line of this mode begins with. */
  variables(mode: Mode): LineVariables {
    const { read, write } = this.#variables
    return mode === 'write' ? write : { ...write, ...read }
  }

  /** The names that were exported in read mode only. */
  get leftInReadMode(): readonly string[] {
    return Object.keys(this.#variables.read).filter((name) => name !== 'OLDPWD')
  }

  /** A line of this mode has run. */
  take(mode: Mode, { cwd, variables }: LineState): void {
    this.directory = cwd ?? this.directory
    this.#variables[mode] = { ...this.#variables[mode], ...variables }
  }
}
