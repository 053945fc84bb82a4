import { type Addon, type AddonMissing, loadAddon } from './launch/addon.ts'
import { type Platform, platform } from './platform.ts'
import type { Probe } from './sandbox/sandbox.ts'

/** The machine as vitrine finds it: what is chosen once and holds for every shell of the process. */
export interface Host {
  readonly platform: Platform
  readonly addon: Addon | AddonMissing
  /** What the kernel offers; absent without an addon. */
  readonly probe?: Probe
}

let found: Host | undefined

/** This machine, looked at once. */
export function thisHost(): Host {
  if (found) return found
  const addon: Addon | AddonMissing =
    platform === 'linux' ? loadAddon() : { missing: `there is no addon for ${platform}` }
  found = 'missing' in addon ? { platform, addon } : { platform, addon, probe: addon.probe() }
  return found
}

/** What this machine offers for read mode, as a report shows it. */
export interface HostSupport {
  readonly platform: Platform
  /** Why there is no addon, when there is none. */
  readonly missing?: string
  readonly probe?: Probe
  /** The watcher's process id, once it runs. */
  readonly watcherPid?: number
}

/** What this machine offers for read mode. */
export function hostSupport(): HostSupport {
  const { platform, addon, probe } = thisHost()
  if ('missing' in addon) return { platform, missing: addon.missing }
  const watcherPid = addon.watcherPid()
  return { platform, ...(probe && { probe }), ...(watcherPid > 0 ? { watcherPid } : {}) }
}
