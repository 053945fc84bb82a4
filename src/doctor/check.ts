import type { Shell } from '../internal.ts'
import type { CheckSettings, RightState } from './diagnosis.ts'

export interface CheckContext {
  /** Program and arguments that start vitrine's command line. */
  readonly program: readonly [string, ...string[]]
  readonly directory: string
  /** The caller's environment, with empty configuration and state directories. */
  readonly env: NodeJS.ProcessEnv
  /** The shell under test: read mode, with the settings of the check. */
  readonly read: Shell
  readonly write: Shell
}

export interface CheckResult {
  readonly state: RightState
  readonly said: string
}

/** One attempt, its effect observed from outside. New checks go into the list in `doctor.ts`. */
export interface Check {
  /** A right of the host, named as in `Enforcement`, which says what enforces it. */
  readonly right: string
  readonly name: string
  /** Settings for the shells, where the defaults have nothing to try: `{ 'shell.reads': 'workspace' }`. */
  readonly settings?: CheckSettings
  run(context: CheckContext): Promise<CheckResult>
}
