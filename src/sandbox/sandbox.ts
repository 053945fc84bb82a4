import type { Denial, Enforcement } from '../base/types.ts'
import type { PrivateDirectories } from './private-tmp.ts'

/** Why no cgroup can be made for a command, or none with a limit of memory: native/linux/limits/cgroup_base.c. */
export type CgroupMissing =
  | 'unmounted'
  | 'foreign'
  | 'no-memory'
  | 'not-enabled'
  | 'topmost'
  | 'not-delegated'
  | 'not-writable'

/** What the running kernel offers, found out by trying (Linux, native/linux/confine/probe.h). */
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
  /** Why core dumps cannot be kept inside, as native/linux/confine/core_dumps.h has it; 0: they can. */
  readonly coreDumpsErrno: number
  readonly pidfd: boolean
  /** setsid(2) really makes a session: inside of a read mode it only says so. */
  readonly sessions: boolean
  /** kernel.yama.ptrace_scope; -1: no Yama. */
  readonly yama: number
  /** The directory beneath which a command with limits gets a cgroup of its own; empty: none does. */
  readonly cgroup: string
  /** Why none does, or why that has no limit of memory; empty where it has one. */
  readonly cgroupMissing: CgroupMissing | ''
}

/** What a read-mode command is confined to. A launcher refuses every kind but its own. */
export type Confinement =
  | LandlockConfinement
  | LowIntegrityConfinement
  | SeatbeltConfinement
  | ContainerConfinement

/** Linux: the addon builds ruleset and filter from it once and keeps them. */
export interface LandlockConfinement {
  readonly kind: 'landlock'
  /** TCP and UDP clients are let through; unix sockets stay shut either way. */
  readonly network: boolean
  /** Directories granted for writing (a private tmp). Absolute real paths. */
  readonly writable: readonly string[]
  readonly reads: Reads
  /** Unix sockets that can be connected to. Absolute paths; only from ABI 9 on. */
  readonly sockets: readonly string[]
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

/** The docker backend: the command runs in a container that shows the workspace read-only. */
export interface ContainerConfinement {
  readonly kind: 'container'
  /** One that nobody has used, for its /tmp is the command's own. */
  readonly fresh: boolean
}

/** macOS: the command runs under sandbox-exec. */
export interface SeatbeltConfinement {
  readonly kind: 'seatbelt'
  /** Called for each command. */
  begin(): SeatbeltCommand
  /** The same with a directory that can be written to. */
  writing(directory: string): SeatbeltConfinement
}

/** One command under sandbox-exec. */
export interface SeatbeltCommand {
  /** What stands before its own argument vector: the program by its absolute path, profile, parameters. */
  readonly wrapper: readonly [string, ...string[]]
  /** What was refused to it, once it is over; waits a moment for it when something is expected. */
  denials(expected: boolean): Promise<readonly Denial[]>
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
  /** Its job could have limits on the user interface: inside the job of another program that fails. */
  readonly uiLimits: boolean
  /** All of it: a read-mode command will be held. */
  readonly held: boolean
}

/** What the user asks of read mode. */
export interface SandboxOptions {
  readonly network: boolean
  readonly reads: Reads
  /** Each command gets a directory that it can write to. */
  readonly privateTmp: boolean
  /** Unix sockets that can be connected to all the same. Absolute paths; symbolic links are followed. */
  readonly unixSockets: readonly string[]
}

/** What can be read. Paths are absolute; symbolic links in them are followed as they stand when a command starts. */
export interface Reads {
  /** The only places that can be read; null: all can. */
  readonly readable: ReadablePlaces | null
  /** Files and directories whose content cannot be read all the same; they need not exist. */
  readonly unreadable: readonly string[]
  /** Files that cannot be read because of their name; null: none. */
  readonly names: UnreadableNames | null
}

/** `[shell] reads = "workspace"` */
export interface ReadablePlaces {
  readonly workspace: string
  /** Directories of the system, homes of toolchains, what programs of PATH need. */
  readonly others: readonly string[]
}

/** Names as shell patterns (fnmatch(3)), `.env.*` for example: the last part of a path alone. */
export interface UnreadableNames {
  readonly beneath: string
  readonly patterns: readonly string[]
  /** Names that stay readable although a pattern fits. */
  readonly except: readonly string[]
  /** Names of directories that are not looked into. */
  readonly skip: readonly string[]
}

/** Nothing is kept from being read. */
export const readEverything: Reads = { readable: null, unreadable: [], names: null }

/** Whether anything is kept from being read. */
export function restrictsReads({ readable, unreadable, names }: Reads): boolean {
  return readable !== null || unreadable.length > 0 || names !== null
}

/** A way to hold a read-mode command. */
export interface Sandbox {
  /** What `[shell] private_tmp` is where no configuration names it. Absent: the schema's default. */
  readonly privateTmpByDefault?: boolean
  /** The confinement for these options. Throws SANDBOX_UNAVAILABLE when less than all of it can be enforced. */
  confine(options: SandboxOptions): Confinement
  /** Per right of the host: enforced or not, and by what. */
  enforcement(options: SandboxOptions): Enforcement
  /** The same for write mode, where something holds there, too. */
  writeEnforcement?(): Enforcement
  /** Absent where a command cannot be given a directory of its own: then `privateTmp` is refused. */
  readonly privateDirectories?: PrivateDirectories | undefined
  /** What confines a command gives it such a directory by itself. */
  readonly ownTmp?: true
  /** Lets go of what is held for a shell. */
  close?(): void | Promise<void>
}
