import type { Platform } from '../base/platform.ts'
import { addonMissing, noSandboxOn } from '../messages/platform.ts'
import { type DirectoriesAddon, linuxSandbox } from '../sandbox/linux.ts'
import type { Probe, Sandbox, WindowsProbe } from '../sandbox/sandbox.ts'
import { unavailableSandbox } from '../sandbox/unavailable.ts'

export interface SandboxHost {
  readonly platform: Platform
  readonly name: string
  readonly probe: Probe | undefined
  readonly windows: WindowsProbe | undefined
  /** Why there is no addon. */
  readonly missing: string | undefined
  /** Starts the watcher; returns 0 or an errno. */
  watch(): number
  readonly directories: DirectoriesAddon | undefined
}

/** The sandbox of this host, or one that refuses with the reason if there is none. */
export async function selectSandbox(host: SandboxHost): Promise<Sandbox> {
  switch (host.platform) {
    case 'linux':
      return host.probe ? linuxSandbox(host.probe, () => host.watch(), host.directories) : withoutAddon(host)
    case 'windows':
      return host.windows
        ? (await import('../sandbox/windows.ts')).windowsSandbox(host.windows)
        : withoutAddon(host)
    case 'macos':
      return (await import('../sandbox/macos/sandbox.ts')).macosSandbox()
    case 'other':
      return unavailableSandbox({
        code: 'SANDBOX_UNAVAILABLE',
        ...noSandboxOn(host.name),
        platform: host.name,
      })
  }
}

function withoutAddon({ missing }: SandboxHost): Sandbox {
  return unavailableSandbox({ code: 'SANDBOX_UNAVAILABLE', ...addonMissing(missing) })
}
