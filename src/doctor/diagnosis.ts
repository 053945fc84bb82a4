import type { HostSupport, Refusal } from '../index.ts'
import type { Settings } from './check.ts'

/** What came of trying to change something of the host in read mode. */
export type State =
  /** It works in write mode, and changed nothing in read mode. */
  | 'enforced'
  /** It changed something in read mode. */
  | 'open'
  /** It changes nothing in write mode either, so it proves nothing. */
  | 'untried'

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

/** Everything that `vitrine doctor` finds out; `--json` prints it as it is. */
export interface Diagnosis {
  readonly kernel: string
  readonly architecture: string
  readonly user: 'root' | 'ordinary'
  readonly host: HostSupport
  /** Why there is no read mode here. */
  readonly unavailable?: Extract<Refusal, { code: 'SANDBOX_UNAVAILABLE' }>
  readonly rights: readonly Finding[]
  readonly verdict: 'enforced' | 'not-enforced' | 'unavailable'
}
