import type { Enforcement } from '../result/result.ts'

/** What a read-mode command is confined to; the addon builds ruleset and filter from it once and keeps them. */
export interface Confinement {
  /** TCP and UDP clients are let through; unix sockets stay shut either way. */
  readonly network: boolean
  /** Directories granted for writing (a private tmp). Absolute real paths. */
  readonly writable: readonly string[]
}
