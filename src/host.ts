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
