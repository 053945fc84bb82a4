import type { Enforcement } from '../base/types.ts'
import type { NetworkKind } from '../network/access.ts'

/** Why a command gets no cgroup, or one without a memory limit: native/linux/limits/cgroup.c. */
export type CgroupMissing =
  | 'unmounted'
  | 'no-memory'
  | 'not-enabled'
  | 'topmost'
  | 'not-delegated'
  | 'not-writable'

/** What the running kernel offers, found out by trying (Linux, native/linux/confine/probe.h). */
export interface Probe {
  /** Why no process could be started for now to try the rest; 0: it has been tried. */
  readonly trialErrno: number
  readonly landlockAbi: number
  readonly landlockErrno: number
  readonly landlockErrata: number
  readonly seccomp: boolean
  readonly seccompErrno: number
  /** A filter can be installed with a notification listener. */
  readonly listener: boolean
  readonly listenerErrno: number
  /** When the listener hangs up, no process is left. */
  readonly listenerProves: boolean
  /** Why core dumps cannot be kept inside, as in native/linux/confine/core_dumps.h; 0: they can. */
  readonly coreDumpsErrno: number
  readonly pidfd: boolean
  /** Why no descriptor of a command can be borrowed (pidfd_getfd(2)): no bind(2) to an address, no exclusive flock(2); 0: it can. */
  readonly getfdErrno: number
  /** Why it cannot be told whose a listening socket is (sock_diag(7)), so that own sockets stay shut; 0: it can. */
  readonly socketsErrno: number
  /** setsid(2) really creates a session: inside another sandbox of vitrine it only reports success. */
  readonly sessions: boolean
  /** kernel.yama.ptrace_scope; -1: no Yama. */
  readonly yama: number
  /** The parent directory of the cgroups of commands with limits; empty: there is none. */
  readonly cgroup: string
  /** Why there is none, or why it has no memory limit; empty: it has one. */
  readonly cgroupMissing: CgroupMissing | ''
}

/** What confines a command of read or workspace mode. A launcher refuses every kind but its own. */
export type Confinement =
  | LandlockConfinement
  | LowIntegrityConfinement
  | SeatbeltConfinement
  | ContainerConfinement

/** A bug: a launcher or a private directory got a confinement of another system. */
export function cannotConfine(what: string, kind: Confinement['kind']): Error {
  return new Error(`${what} cannot confine by ${kind}`)
}

/** Linux: the addon builds ruleset and filter from it once and caches them. */
export interface LandlockConfinement {
  readonly kind: 'landlock'
  /** TCP and UDP clients are allowed; unix sockets are refused either way. */
  readonly network: boolean
  /** Without `network`: connections to this port of 127.0.0.1 are allowed. `command`: whose they are, for the proxy. */
  readonly proxy: ProxyAccess | null
  /** Directories granted for writing (a private tmp): absolute, without symbolic links. */
  readonly writable: readonly string[]
  readonly reads: Reads
  /** Workspace mode; null: the command changes nothing but `writable`. */
  readonly changes: Changes | null
  readonly abi: number
  /** Commands of the same number reach each other's sockets on loopback; 0: none are reached. */
  readonly world: number
  /** Before something protected changes, the launcher asks. */
  readonly asks: boolean
  /** Refused calls are notified to the supervisor and reported. */
  readonly listener: boolean
}

/** Windows: the addon lowers the token and reads the level back before the command runs. */
export interface LowIntegrityConfinement {
  readonly kind: 'low-integrity'
}

interface ContainerConfinement {
  readonly kind: 'container'
  /** An unused container, because /tmp is this command's private tmp. */
  readonly fresh: boolean
  /** Workspace mode, which vitrine's own launcher holds inside of the container. */
  readonly changes: Changes | null
  readonly network: boolean
}

export interface SeatbeltConfinement {
  readonly kind: 'seatbelt'
  /** What a command line begins with to run under the profile. */
  wrapper(): readonly string[]
  through(proxyPort: number): SeatbeltConfinement
  writing(directory: string): SeatbeltConfinement
}

/** What a process like a read-mode command could change, by trying (Windows, native/windows/). */
export interface WindowsProbe {
  /** GetSystemDirectoryW, for example `C:\\windows\\system32`. */
  readonly systemDirectory: string
  /** SECURITY_MANDATORY_*_RID of this process: 0x2000 is Medium, 0x3000 High. */
  readonly integrity: number
  /** Why the process could not be started or read back, as GetLastError; 0: it could. */
  readonly error: number
  /** The integrity level that was read back. */
  readonly lowered: number
  /** The token's policy enforces the level. */
  readonly noWriteUp: boolean
  /** The job could be given UI limits; inside another program's job that fails. */
  readonly uiLimits: boolean
  readonly held: boolean
}

export interface ProxyAccess {
  readonly port: number
  readonly command: number
  /** `ADDRESS:PORT` of loopback that commands with sockets of their own reach without the proxy. */
  readonly services: readonly string[]
}

export interface SandboxOptions {
  readonly network: NetworkKind
  readonly reads: Reads
  /** Workspace mode: what the command may change; null: nothing. */
  readonly changes: Changes | null
  readonly privateTmp: boolean
  /** The shell's number, by which its commands reach each other's sockets. Absent: they reach none. */
  readonly world?: number | undefined
}

/** What a command may change in workspace mode. Absolute paths. */
export interface Changes {
  /** Directories without symbolic links on the way: the workspace first. */
  readonly roots: readonly [string, ...string[]]
  /** What stays as it is in them; symbolic links are followed, and need not lead anywhere. */
  readonly protected: readonly string[]
  /** Directories whose entries cannot be made or changed, except those on the way to a protected path. */
  readonly closed: readonly string[]
  /** Git directories that do not exist, and that commands may make with a configuration that names no program. Linux. */
  readonly unmade: readonly string[]
  /** Before something protected changes, the launcher asks (`LaunchEvents.asked`). Linux. */
  readonly asks?: boolean
  /** Why there may be repositories in the workspace that are not protected. */
  readonly lacks?: string | undefined
}

/** Something that a command of workspace mode made or changed. */
export interface Note {
  /**
   * A `.git`, or a directory with `objects` and `refs`; a name that programs outside obey; a directory that came from another root, or
   * from the private TMPDIR.
   */
  readonly kind: 'repository' | 'name' | 'moved'
  readonly path: string
  /** What a package.json held. */
  readonly before?: string
}

/** What a command may read. Paths are absolute; symbolic links are resolved when the command starts. */
export interface Reads {
  /** The only readable places; null: everything is readable. */
  readonly readable: ReadablePlaces | null
  /** Files and directories whose contents stay unreadable, even in readable places; they need not exist. */
  readonly unreadable: readonly string[]
  /** Files that cannot be read because of their names; null: none. */
  readonly names: UnreadableNames | null
}

/** `[shell] reads = "workspace"` */
export interface ReadablePlaces {
  readonly workspace: string
  /** System directories, homes of toolchains, what programs in PATH need. */
  readonly others: readonly string[]
  /** Those of them in places that commands may change: a symbolic link there leads nowhere. */
  readonly unlinked: readonly string[]
}

/** Shell patterns (fnmatch(3)) such as `.env.*`, matched against the last part of a path. */
export interface UnreadableNames {
  readonly beneath: string
  readonly patterns: readonly string[]
  /** Names that stay readable even if a pattern matches. */
  readonly except: readonly string[]
  /** Names of directories that are not searched. */
  readonly skip: readonly string[]
}

export const readEverything: Reads = { readable: null, unreadable: [], names: null }

export function restrictsReads({ readable, unreadable, names }: Reads): boolean {
  return readable !== null || unreadable.length > 0 || names !== null
}

export interface Sandbox {
  /** Default of `[shell] private_tmp` when no configuration sets it. Absent: the schema's default. */
  readonly privateTmpByDefault?: boolean
  /** The confinement for these options. Throws SANDBOX_UNAVAILABLE unless all of it can be enforced. */
  confine(options: SandboxOptions): Confinement
  /** For each right: whether it is enforced, and by what. A new object each time, to which the caller adds. */
  enforcement(options: SandboxOptions): Enforcement
  /** The same for write mode; absent where the sandbox enforces nothing there. */
  writeEnforcement?(): Enforcement
  /** Absent where no private tmp is possible: `privateTmp` is then refused. */
  readonly privateDirectories?: PrivateDirectories | undefined
  /** Absent: what a command may change is found anew for each one. */
  readonly pathStates?: PathStates | undefined
  /** The confinement provides the private tmp itself. */
  readonly ownTmp?: true
  /** The confinement of a command that reaches its hosts by the proxy. Only for `network: 'hosts'`. */
  throughProxy?(confinement: Confinement, proxy: ProxyAccess): Confinement
  close?(): void | Promise<void>
}

/** What is at some paths, recorded and compared in one call. */
export interface PathStates {
  /** `above`: whether it is the same directory; `paths`: also its times, and what a link there leads to. */
  snapshot(above: readonly string[], paths: readonly string[]): unknown
  /** False also if something had changed just before the snapshot. */
  unchanged(snapshot: unknown): boolean
}

export interface PrivateDirectory {
  /** Absolute, without symbolic links. */
  readonly path: string
  /**
   * Resolves to an error name if something remains. Called once for each `make`, after the last process ended. `spare`: an
   * unused one may serve another command.
   */
  remove(spare?: boolean): Promise<string | undefined>
}

/** How a platform gives a confined command a private directory. */
export interface PrivateDirectories {
  /** Creates one in the temporary directory. Throws SANDBOX_UNAVAILABLE. */
  make(temporary: string): PrivateDirectory
  /** The confinement of the one command that may write beneath `directory`. */
  grant(confinement: Confinement, directory: string): Confinement
}
