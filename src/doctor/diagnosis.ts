import type { DockerStatus, HostSupport, Refusal } from '../internal.ts'
import type { Settings } from './check.ts'
import type { System } from './system.ts'
import type { Trap } from './traps.ts'

/** What came of trying to change something of the host in read mode. */
export type State =
  /** It works in write mode, and changed nothing in read mode. */
  | 'enforced'
  /** It changed something in read mode. */
  | 'open'
  /** It changes nothing in write mode either, or could not be made, so it proves nothing. */
  | 'untried'
  /** Nothing holds it on this system, as `Enforcement` says. */
  | 'lacking'

/** One attempt, and what came of it. */
export interface Finding {
  /** A right of the host, named as in `Enforcement`. */
  readonly right: string
  /** What holds it; `none` without read mode. */
  readonly by: string
  /** Absent when there is none that would be harmless if it worked. */
  readonly attempt?: string
  /** Other than the defaults, that it was made with. */
  readonly settings?: Settings
  readonly state: State
  /** What the attempt said last: in read mode, or in write mode when it proves nothing. */
  readonly said: string
}

/** A trap in words. */
export interface TrapFinding extends Trap {
  readonly seen: string
  /** What to do about it, a step each; empty: nothing. */
  readonly fix: readonly string[]
}

/** Everything that `vitrine doctor` finds out; `--json` prints it as it is. docs/doctor.md describes it. */
export interface Diagnosis extends System {
  /** Of this format. Fields may be added to it; none changes its meaning or goes. */
  readonly version: 1
  readonly host: HostSupport
  readonly traps: readonly TrapFinding[]
  /** Why there is no read mode here. */
  readonly unavailable?: Extract<Refusal, { code: 'SANDBOX_UNAVAILABLE' }>
  readonly rights: readonly Finding[]
  /** Engine, image and containers, where the configuration chooses the docker backend. */
  readonly docker?: DockerStatus
  /**
   * `enforced`: every right that could be tried is. `partly`: there are some that nothing holds on this system.
   * `not-enforced`: one that should be is not. `unavailable`: there is no read mode. `untried`: nothing could be tried here.
   */
  readonly verdict: 'enforced' | 'partly' | 'not-enforced' | 'unavailable' | 'untried'
}
