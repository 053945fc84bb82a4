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

/** What a read-mode command is confined to. A launcher refuses every kind but its own. */
export type Confinement = LandlockConfinement | LowIntegrityConfinement | SeatbeltConfinement

/** Linux: the addon builds ruleset and filter from it once and keeps them. */
export interface LandlockConfinement {
  readonly kind: 'landlock'
  /** TCP and UDP clients are let through; unix sockets stay shut either way. */
  readonly network: boolean
  /** Directories granted for writing (a private tmp). Absolute real paths. */
  readonly writable: readonly string[]
  /** Only what lies beneath these can be read; null: everything. Absolute real paths. */
  readonly readable: readonly string[] | null
  /** What cannot be read all the same. Absolute real paths. */
  readonly unreadable: readonly string[]
  /** The Landlock ABI to build for. */
  readonly abi: number
  /** The filter is installed with a listener. */
  readonly listener: boolean
  /** Refused calls go through the listener and are reported. */
  readonly report: boolean
}

/** Windows: the addon lowers the token and reads the level back before the command runs. */
export interface LowIntegrityConfinement {
  readonly kind: 'low-integrity'
}

/** macOS: the command runs under sandbox-exec. */
export interface SeatbeltConfinement {
  readonly kind: 'seatbelt'
  /** What stands before the command's own argument vector: the program by its absolute path, profile, parameters. */
  readonly wrapper: readonly [string, ...string[]]
}

/** What a process started as a read-mode command would be can change, found out by trying (Windows, native/windows/). */
export interface WindowsProbe {
  /** GetSystemDirectoryW, for example `C:\\windows\\system32`. */
  readonly systemDirectory: string
  /** SECURITY_MANDATORY_*_RID of this process: 0x2000 is Medium, 0x3000 High. */
  readonly integrity: number
  /** Why the process could not be started or read back; 0 when it could. GetLastError. */
  readonly error: number
  /** The level that was read back. */
  readonly lowered: number
  /** Its token's policy makes the level count. */
  readonly noWriteUp: boolean
  /** All of it: a read-mode command will be held. */
  readonly held: boolean
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
