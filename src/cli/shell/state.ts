import { type LineState, type LineVariables, type Mode, modes } from '../../internal.ts'

/**
 * The directory and exported variables for the next line. Variables exported in one mode do not pass to a
 * looser one: an untrusted command must not influence what is held less.
 */
export class SessionState {
  directory: string
  readonly #variables: Record<Mode, LineVariables> = { read: {}, workspace: {}, write: {} }

  constructor(directory: string) {
    this.directory = directory
  }

  variables(mode: Mode): LineVariables {
    const looser = modes.slice(modes.indexOf(mode)).reverse()
    return Object.assign({}, ...looser.map((other) => this.#variables[other]))
  }

  /** The names exported in stricter modes than this one. */
  leftBehind(mode: Mode): readonly string[] {
    const stricter = modes.slice(0, modes.indexOf(mode))
    const names = stricter.flatMap((other) => Object.keys(this.#variables[other]))
    return [...new Set(names)].filter((name) => name !== 'OLDPWD')
  }

  take(mode: Mode, { cwd, variables }: LineState): void {
    this.directory = cwd ?? this.directory
    this.#variables[mode] = { ...this.#variables[mode], ...variables }
  }
}
