import type { Flags, Shell } from '../internal.ts'
import type { State } from './diagnosis.ts'

/** What a check works with. */
export interface Bench {
  /** Program and arguments that start vitrine's command line. */
  readonly program: readonly [string, ...string[]]
  /** An empty directory of the check's own, removed at the end. */
  readonly directory: string
  /** The caller's environment, with a configuration and a state directory that hold nothing. */
  readonly env: NodeJS.ProcessEnv
  /** The shell that should hold: read mode, with the settings of the check. */
  readonly read: Shell
  /** The same without a sandbox. */
  readonly write: Shell
}

/** What a check saw. */
export interface Seen {
  readonly state: State
  readonly said: string
}

/**
 * One row of the doctor's table: it makes one attempt, and looks from outside what came of it. A new row is a new check in
 * the list of `doctor.ts`.
 */
export interface Check {
  /** A right of the host, named as in `Enforcement`: what stands there says by what it is held. */
  readonly right: string
  readonly name: string
  /** Settings that the shells are opened with, where the defaults have nothing to try: `{ 'shell.reads': 'workspace' }`. */
  readonly settings?: Settings
  run(bench: Bench): Promise<Seen>
}

/** Values by dotted key. */
export type Settings = {
  readonly [K in keyof Flags]?: Exclude<Flags[K], undefined>['value']
}
