import { createRequire } from 'node:module'
import { join } from 'node:path'
import { errorText } from '../base/errno.ts'
import { packageRoot } from '../base/package-file.ts'
import type { Denial, Limit } from '../base/types.ts'
import type { LookupAddon } from '../facts/native-lookup.ts'
import { otherInterface } from '../messages/platform.ts'
import type { PrivateTmpAddon } from '../sandbox/private-tmp.ts'
import type { Probe, WindowsProbe } from '../sandbox/sandbox.ts'

export type NativeEnd =
  | {
      readonly code: number
      readonly signal: number
      readonly killed: number
      readonly alive: number
      readonly group: number
      readonly unsearched?: true
      readonly timedOut?: true
      readonly limited?: Limit
      readonly denials: readonly Denial[]
    }
  | NativeFailure

export interface NativeFailure {
  readonly failedStep: string
  readonly errno: number
}

/**
 * Handles events; `stream` 0 and 1: output, -1: end, -2 (Windows): stdin bytes were written, -3 (Linux): a
 * command with a terminal runs.
 */
export type NativeHandler = (id: number, stream: number, payload: Buffer | NativeEnd | number) => void

/** The addon's functions on every system: native/binding.cc. */
export interface AddonCore {
  /** Absent in addons older than the version number. */
  readonly interfaceVersion?: number
  listen(handler: NativeHandler): void
  spawn(
    candidates: string,
    argv: string,
    environment: Uint8Array,
    cwd: string,
    places: string,
    stdin: number,
    flags: number,
    abi: number,
    limits?: Float64Array,
    /** columns * 65536 + rows */
    terminal?: number,
    /** Linux: milliseconds to the deadline, and from SIGTERM to SIGKILL. */
    timeout?: number,
    grace?: number,
  ): { readonly id: number; readonly stdin: number; readonly state?: number } | NativeFailure
  terminate(id: number, atDeadline?: boolean): void
  kill(id: number): void
  signal(id: number, signal: number): void
  consumed(id: number, bytes: number): void
}

export interface Addon extends AddonCore, LookupAddon, PrivateTmpAddon {
  resize(id: number, columns: number, rows: number): void
  probe(): Probe
  /** Starts the watcher; returns 0 or an errno. */
  watch(): number
  watcherPid(): number
  /**
   * Exclusive flock(2) that does not wait; returns 0 or an errno. Closing the descriptor releases the lock.
   */
  lock(fd: number): number
}

/** The Windows addon. It writes stdin itself, because its handles are not Node descriptors. */
export interface WindowsAddon extends AddonCore {
  probe(): WindowsProbe
  /** The handler is called with stream -2 when the bytes are written. */
  write(id: number, bytes: Uint8Array): void
  closeStdin(id: number): void
}

/** Why there is no addon. */
export interface AddonMissing {
  readonly missing: string
}

/** Version of the interface above: VT_INTERFACE of native/core.h. */
const interfaceVersion = 3

/**
 * Loads the addon at an absolute path (default: `VITRINE_ADDON`), or else the package's prebuilt or built one
 * for this system.
 */
export function loadAddon<A extends AddonCore>(
  path = process.env['VITRINE_ADDON'] || undefined,
): A | AddonMissing {
  try {
    const addon: A = path === undefined ? packagedAddon() : createRequire(path)(path)
    // An addon of another build may lack functions or read arguments differently: call none of them.
    if (addon.interfaceVersion === interfaceVersion) return addon
    return { missing: otherInterface(addon.interfaceVersion, interfaceVersion) }
  } catch (error) {
    // Any failure has the same consequence: read mode is refused with this reason.
    return { missing: firstLine(errorText(error)) }
  }
}

function packagedAddon<A>(): A {
  const root = packageRoot()
  const load = createRequire(join(root, 'package.json'))('node-gyp-build') as (directory: string) => A
  return load(root)
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? text
}
