import type { Enforcement } from '../result/result.ts'

/** What the running kernel offers, found out by trying (Linux, native/linux/probe.h). */
export interface Probe {
  /** 0: no Landlock. */
  readonly landlockAbi: number
  readonly landlockErrno: number
  /** Bitmask of the errata that are fixed. */
  readonly landlockErrata: number
  readonly seccomp: boolean
  readonly seccompErrno: number
  /** A filter can be installed with a notification listener. */
  readonly listener: boolean
  readonly listenerErrno: number
  /** The listener's hang-up proves that nobody is left. */
  readonly listenerProves: boolean
  readonly pidfd: boolean
  /** kernel.yama.ptrace_scope; -1: no Yama. */
  readonly yama: number
}

/** What a read-mode command is confined to; the addon builds ruleset and filter from it once and keeps them. */
export interface Confinement {
  /** TCP and UDP clients are let through; unix sockets stay shut either way. */
  readonly network: boolean
  /** Directories granted for writing (a private tmp). Absolute real paths. */
  readonly writable: readonly string[]
  /** The Landlock ABI to build for. */
  readonly abi: number
  /** The filter is installed with a listener. */
  readonly listener: boolean
  /** Refused calls go through the listener and are reported. */
  readonly report: boolean
}

/** What the user asks of read mode. */
export interface SandboxOptions {
  readonly network: boolean
}

/** A way to hold a read-mode command. */
export interface Sandbox {
  /** The confinement for these options. Throws SANDBOX_UNAVAILABLE when less than all of it can be enforced. */
  confine(options: SandboxOptions): Confinement
  /** Per right of the host: enforced or not, and by what. */
  enforcement(options: SandboxOptions): Enforcement
}
