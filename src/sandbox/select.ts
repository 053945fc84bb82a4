import type { Platform } from '../platform.ts'
import { linuxSandbox } from './linux.ts'
import type { Probe, Sandbox } from './sandbox.ts'
import { unavailableSandbox } from './unavailable.ts'

/** What the choice of a sandbox depends on. */
export interface SandboxHost {
  readonly platform: Platform
  readonly probe?: Probe
  /** Why there is no addon, when there is none. */
  readonly missing?: string
  /** Starts the watcher; 0 or an errno. */
  watch(): number
}

/** The sandbox of this host. Where there is none, one that refuses and says why. */
export function selectSandbox({ platform, probe, missing, watch }: SandboxHost): Sandbox {
  if (platform !== 'linux')
    return unavailableSandbox(
      'a sandbox for this system',
      `${platform}, which has none yet`,
      'run it on Linux',
    )
  if (!probe)
    return unavailableSandbox(
      'the native addon',
      missing ?? 'it did not load',
      'build it (npm run build), or install a package with a prebuilt one',
    )
  return linuxSandbox(probe, watch)
}
