import { existsSync } from 'node:fs'
import { join, toNamespacedPath } from 'node:path'
import { errorCode, errorText } from '../base/errno.ts'
import { packageRoot } from '../base/package-file.ts'
import { platformName } from '../base/platform.ts'
import type { Unmet } from '../base/refusal.ts'
import type { Listening, Stream } from '../base/types.ts'
import { scarcityRemedy } from '../messages/limits.ts'
import type { PrivateTmpAddon } from '../sandbox/private-tmp.ts'
import type {
  LandlockConfinement,
  LowIntegrityConfinement,
  PathStates,
  Probe,
  WindowsProbe,
} from '../sandbox/sandbox.ts'
import type { LaunchRequest, Ran } from './launch.ts'

/** What `spawn` reads; a wrong field is a TypeError that names it. `limits`, `terminal` and `deadline` are of Linux. */
export interface SpawnRecord
  extends Omit<LaunchRequest, 'commandLine' | 'environment' | 'confinement' | 'keepsState'> {
  readonly keepsState: boolean
  /** Each `NAME=value`, with a NUL between them: one string is read faster than a list. */
  readonly env: string
  /** null: unconfined. On Windows only its presence counts. */
  readonly confinement: LandlockConfinement | LowIntegrityConfinement | null
}

/** A started command; its last event follows. */
export interface Spawned {
  readonly kind: 'queued'
  readonly id: number
  /** Linux: our end of stdin or the terminal; -1: none. */
  readonly stdin: number
  /** Linux, with `keepsState`: the file of the shell's state; else -1. */
  readonly state: number
}

export interface NativeFailure {
  readonly kind: 'failed'
  readonly step: string
  readonly errno: number
}

/** The last event of a command. */
export type NativeEnd =
  | NativeFailure
  | (Ran & { readonly kind: 'ended'; readonly code: number; readonly signal: number })

export type NativeEvent =
  | { readonly kind: 'output'; readonly stream: Stream; readonly bytes: Buffer }
  | { readonly kind: 'started' }
  | { readonly kind: 'listening'; readonly port: Listening }
  /** A call waits for `answer`: may this protected path, and all beneath it, change? */
  | { readonly kind: 'asked'; readonly number: number; readonly path: string }
  /** Windows: the last bytes given to `write` have gone. */
  | { readonly kind: 'written' }
  | NativeEnd

/** The addon's functions on every system: native/binding.cc. */
interface AddonCore {
  /** Absent in addons older than the version number. */
  readonly interfaceVersion?: number
  spawn(record: SpawnRecord, handler: (event: NativeEvent) => void): Spawned | NativeFailure
  terminate(id: number, atDeadline?: boolean): void
  kill(id: number): void
  signal(id: number, signal: number): void
  consumed(id: number, bytes: number): void
}

export interface Addon extends AddonCore, PrivateTmpAddon, PathStates {
  /** Ends the process without the runtime's own teardown. */
  leave(code: number): never
  answer(id: number, number: number, yes: boolean): void
  /** The names that commands of workspace mode are noticed to make or change, a line each; only the first call counts. */
  noticeNames(lines: string): void
  resize(id: number, columns: number, rows: number): void
  probe(): Probe
  /** 0 or an errno. */
  watch(): number
  watcherPid(): number
  /** The process of a command that connected to the proxy from a port; answers once for each connection. */
  proxyClient(port: number): ProxyClient | undefined
  /** Exclusive flock(2) that does not wait; 0 or an errno. Closing the descriptor releases it. */
  lock(fd: number): number
}

interface ProxyClient {
  /** As in `LandlockConfinement.proxy`. */
  readonly command: number
  readonly pid: number
  /** proc_pid_comm(5); empty: unknown. */
  readonly program: string
}

/** The Windows addon. It writes stdin itself, because its handles are not Node descriptors. */
export interface WindowsAddon extends AddonCore {
  probe(): WindowsProbe
  /** The event `written` follows. */
  write(id: number, bytes: Uint8Array): void
  closeStdin(id: number): void
}

export interface AddonMissing {
  readonly missing: string
}

/** Version of the interface above: VT_INTERFACE of native/core.h. */
const interfaceVersion = 27

/** The addon at an absolute path (default: `VITRINE_ADDON`), else the package's built or prebuilt one. */
export function loadAddon<A extends AddonCore>(
  given = process.env['VITRINE_ADDON'] || undefined,
): A | AddonMissing {
  try {
    const path = given ?? packagedAddon()
    const addon = loaded.get(path) ?? dlopen(path)
    loaded.set(path, addon)
    // An addon of another build may lack functions or read arguments differently: call none of them.
    if (addon.interfaceVersion === interfaceVersion) return addon as A
    const found = addon.interfaceVersion ?? 'unknown'
    return {
      missing: `the addon belongs to another version of vitrine (its interface is ${found}; ${interfaceVersion} is needed)`,
    }
  } catch (error) {
    // Any failure has the same consequence: read and workspace mode are refused with this reason.
    if (errorCode(error) === 'ERR_DLOPEN_DISABLED') return { missing: addonsOff }
    return { missing: errorText(error).replace(/\n.*/s, '') }
  }
}

const loaded = new Map<string, AddonCore>()

/** As `require` does, without the search for a file, and without node:module, which takes time to load. */
function dlopen(path: string): AddonCore {
  const module = { exports: {} as AddonCore }
  process.dlopen(module, toNamespacedPath(path))
  return module.exports
}

function packagedAddon(): string {
  const root = packageRoot()
  const built = join(root, 'build/Release/vitrine.node')
  return existsSync(built)
    ? built
    : join(root, 'prebuilds', `${platformName}-${process.arch}`, 'vitrine.node')
}

const addonsOff = 'Node runs without addons'
const addonsOffRemedy = 'start Node without --no-addons, and with --allow-addons where --permission is given'

export const addonRemedy =
  'reinstall vitrine (packages have a prebuilt addon), or build it (npm run build); in a bundle pass the path of node_modules/vitrine/prebuilds/PLATFORM-ARCH/vitrine.node as openShell({ addon }) or VITRINE_ADDON'

/** @param missing why the addon does not load */
export function addonMissing(missing = 'it did not load'): Unmet {
  const scarce = scarcityRemedy(/^E\w+/.exec(missing)?.[0] ?? '')
  const remedy = missing === addonsOff ? addonsOffRemedy : (scarce ?? addonRemedy)
  return { wanted: 'the native addon', got: missing, remedy }
}
