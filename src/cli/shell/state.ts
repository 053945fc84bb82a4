import type { LineState, LineVariables, Mode } from '../../internal.ts'

/**
 * The directory and exported variables for the next line. Read mode's variables stay in read mode: an
 * untrusted command must not influence what runs unsandboxed.
 */
export class SessionState {
  directory: string
  readonly #variables: Record<Mode, LineVariables> = { read: {}, write: {} }

  constructor(directory: string) {
    this.directory = directory
  }

  variables(mode: Mode): LineVariables {
    const { read, write } = this.#variables
    return mode === 'write' ? write : { ...write, ...read }
  }

  get leftInReadMode(): readonly string[] {
    return Object.keys(this.#variables.read).filter((name) => name !== 'OLDPWD')
  }

  take(mode: Mode, { cwd, variables }: LineState): void {
    this.directory = cwd ?? this.directory
    this.#variables[mode] = { ...this.#variables[mode], ...variables }
  }
}
