import type { Unavailable } from '../base/refusal.ts'
import type { DockerStatus, Flags, HostSupport } from '../internal.ts'
import type { System, Trap } from './system.ts'

/** The outcome of trying to change something of the host in read mode. */
export type RightState =
  /** It works in write mode and changed nothing in read mode. */
  | 'enforced'
  /** It changed something in read mode. */
  | 'open'
  /** It changes nothing in write mode either, or could not be tried, so it proves nothing. */
  | 'untried'
  /** Not enforced on this system, as `Enforcement` says. */
  | 'lacking'

export type CheckSettings = {
  readonly [K in keyof Flags]?: Exclude<Flags[K], undefined>['value']
}

export interface Finding {
  /** A right of the host, named as in `Enforcement`. */
  readonly right: string
  /** What enforces it; `none` without read mode. */
  readonly by: string
  /** Absent if no attempt would be harmless when it succeeds. */
  readonly attempt?: string
  readonly settings?: CheckSettings
  readonly state: RightState
  /** The attempt's last message: in read mode, or in write mode if it proves nothing. */
  readonly said: string
}

/** Everything that `vitrine doctor` finds; `--json` prints it unchanged. docs/doctor.md describes it. */
export interface Diagnosis extends System {
  /** The format's version. Fields may be added; none is removed or changes its meaning. */
  readonly version: 1
  readonly host: HostSupport
  readonly traps: readonly Trap[]
  /** Why there is no read mode. */
  readonly unavailable?: Unavailable
  readonly rights: readonly Finding[]
  /** Engine, image and containers, if the configuration selects the docker backend. */
  readonly docker?: DockerStatus
  /**
   * `enforced`: all rights that could be tried are. `partly`: this system does not enforce some of them.
   * `not-enforced`: a right that should be enforced is not. `unavailable`: there is no read mode.
   * `untried`: nothing could be tried.
   */
  readonly verdict: 'enforced' | 'partly' | 'not-enforced' | 'unavailable' | 'untried'
}
