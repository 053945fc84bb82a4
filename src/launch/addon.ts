import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Denial } from '../result/result.ts'
import type { Probe } from '../sandbox/sandbox.ts'

/** How a command ended, as the addon tells it. */
export type NativeEnd =
  | {
      readonly code: number
      readonly signal: number
      readonly killed: number
      readonly alive: number
      readonly group: number
      readonly denials: readonly Denial[]
    }
  | NativeFailure

export interface NativeFailure {
  readonly failedStep: string
  readonly errno: number
}

/** The addon's functions: see native/binding.cc. */
export interface Addon {
  listen(handler: (id: number, stream: number, payload: Buffer | NativeEnd) => void): void
  spawn(
    candidates: string,
    argv: string,
    environment: Uint8Array,
    cwd: string,
    writable: string,
    stdin: number,
    flags: number,
    abi: number,
  ): { readonly id: number; readonly stdin: number } | NativeFailure
  terminate(id: number): void
  kill(id: number): void
  signal(id: number, signal: number): void
  consumed(id: number, bytes: number): void
  probe(): Probe
  /** Starts the watcher; 0 or an errno. */
  watch(): number
  watcherPid(): number
}

/** Why there is no addon. */
export interface AddonMissing {
  readonly missing: string
}

const require = createRequire(import.meta.url)

/** Loads the addon that fits this system: a prebuilt one, or the one that the build made. */
export function loadAddon(): Addon | AddonMissing {
  try {
    const load = require('node-gyp-build') as (directory: string) => Addon
    return load(packageRoot())
  } catch (error) {
    // Every failure has one consequence, and it is told: read mode is refused with this reason.
    return { missing: error instanceof Error ? firstLine(error.message) : String(error) }
  }
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? text
}

/** The directory of vitrine's package.json, from dist/ as from src/. */
function packageRoot(): string {
  let directory = dirname(fileURLToPath(import.meta.url))
  while (!existsSync(join(directory, 'package.json')) && dirname(directory) !== directory)
    directory = dirname(directory)
  return directory
}
