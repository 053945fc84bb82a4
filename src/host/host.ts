import { errorText } from '../base/errno.ts'
import { type Platform, platform, platformName } from '../base/platform.ts'
import {
  type Addon,
  type AddonMissing,
  addonMissing,
  addonRemedy,
  loadAddon,
  type WindowsAddon,
} from '../launch/addon.ts'
import type { Launcher } from '../launch/launch.ts'
import { nativeLauncher } from '../launch/native.ts'
import { unavailable } from '../messages/error.ts'
import type { Resolver } from '../network/addresses.ts'
import type { FindClient } from '../network/proxy.ts'
import type { HostPlace } from '../request/environment.ts'
import { type Interpreter, localShell } from '../request/interpreter.ts'
import { unavailableSandbox } from '../sandbox/enforcement.ts'
import { linuxSandbox } from '../sandbox/linux.ts'
import type { Probe, Sandbox, WindowsProbe } from '../sandbox/sandbox.ts'

/** What vitrine found on this machine, once for all shells of the process. */
export interface Host {
  readonly platform: Platform
  /** The system's name where it has no sandbox, such as `freebsd`. Default: the platform. */
  readonly name?: string
  /** The Linux addon, or why none is loaded (on any system). */
  readonly addon: Addon | AddonMissing
  readonly probe?: Probe | undefined
  readonly windows?: { readonly addon: WindowsAddon; readonly probe: WindowsProbe }
  /** Finds the addresses of hosts for the proxy. Default: the system's. */
  readonly resolver?: Resolver
}

export interface Equipment {
  readonly platform: Platform
  readonly place: HostPlace
  readonly sandbox: Sandbox
  readonly launcher: Launcher
  readonly interpreter: Interpreter
  /** What reads lines where `[shell] program`, or a request, names another shell. Not on Windows. */
  readonly interpreterFor: (program: string) => Interpreter
  /** Linux: which process connected to the proxy. */
  readonly clientOf?: FindClient | undefined
  readonly resolver?: Resolver | undefined
  /** The name of a directory where commands run. Throws INVALID_REQUEST if it is not there. Absent: the same name. */
  readonly directoryThere?: (path: string) => Promise<string>
}

/** By path of the addon. */
const probedHosts = new Map<string | undefined, Host>()

/** This machine, probed once per addon; `addonPath`: absolute, by default the package's own. */
export function thisHost(addonPath?: string): Host {
  const host = probedHosts.get(addonPath) ?? probeHost(addonPath)
  // An addon that did not load for want of a descriptor may load later.
  if (!('missing' in host.addon) || host.windows) probedHosts.set(addonPath, host)
  return host
}

function probeHost(addonPath: string | undefined): Host {
  if (platform === 'windows') return probeWindows(addonPath)
  if (platform !== 'linux')
    return { platform, name: platformName, addon: { missing: `there is no addon for ${platformName}` } }
  const addon = loadAddon<Addon>(addonPath)
  let probe: Probe | undefined
  return {
    platform,
    addon,
    get probe() {
      // Again where no process could be started to try what the kernel offers.
      if (!('missing' in addon) && probe?.trialErrno !== 0) probe = addon.probe()
      return probe
    },
  }
}

/** Linux: ends this process without the runtime's own teardown. Returns where there is no addon. */
export function leave(code: number): void {
  const { addon } = thisHost()
  if (!('missing' in addon)) addon.leave(code)
}

function probeWindows(addonPath: string | undefined): Host {
  const addon = loadAddon<WindowsAddon>(addonPath)
  if ('missing' in addon) return { platform, addon }
  return { platform, addon: { missing: 'this is Windows' }, windows: { addon, probe: addon.probe() } }
}

/** Chooses what a host's shells work with. Modules that only one system needs are imported only there. */
export async function equip(host: Host): Promise<Equipment> {
  const { platform } = host
  const addon = 'missing' in host.addon ? undefined : host.addon
  return {
    platform,
    place: platform,
    sandbox: await sandboxOf(host),
    launcher: await launcherOf(host),
    interpreter: platform === 'windows' ? await windowsShell(host) : localShell(),
    interpreterFor: localShell,
    clientOf: addon && ((port) => addon.proxyClient(port)),
    resolver: host.resolver,
  }
}

/** The sandbox of this host, or one that refuses with the reason if there is none. */
async function sandboxOf({ platform, name = platform, addon, probe, windows }: Host): Promise<Sandbox> {
  switch (platform) {
    case 'linux':
      if ('missing' in addon || !probe) break
      return linuxSandbox(probe, () => addon.watch(), addon)
    case 'windows':
      if (!windows) break
      return (await import('../sandbox/windows.ts')).windowsSandbox(windows.probe)
    case 'macos':
      return (await import('../sandbox/macos/sandbox.ts')).macosSandbox()
    case 'other':
      return unavailableSandbox({
        wanted: 'a sandbox for this system',
        got: `${name}, which has none`,
        remedy: 'run it on Linux, macOS or Windows',
        platform: name,
      })
  }
  return unavailableSandbox(addonMissing('missing' in addon ? addon.missing : undefined))
}

async function windowsShell({ windows }: Host): Promise<Interpreter> {
  const { powershell } = await import('../request/powershell.ts')
  // The addon asks the system. Without it, in write mode only, the variable is used, which any user can set.
  const root = process.env['SystemRoot'] ?? 'C:\\Windows'
  return powershell(windows?.probe.systemDirectory ?? `${root}\\System32`)
}

async function launcherOf({ addon, probe, windows }: Host): Promise<Launcher> {
  if (windows) return (await import('../launch/windows.ts')).windowsLauncher(windows.addon)
  return 'missing' in addon ? launcherWithout(addon) : nativeLauncher(addon, probe ?? addon.probe())
}

/** Throws SANDBOX_UNAVAILABLE if execa does not load either: not every bundle can load it. */
async function launcherWithout({ missing }: AddonMissing): Promise<Launcher> {
  try {
    return await (await import('../launch/execa.ts')).execaLauncher()
  } catch (error) {
    const got = `${missing}; execa: ${errorText(error)}`
    const wanted = 'the native addon, or execa in its place'
    throw unavailable({ for: 'launcher', wanted, got, remedy: addonRemedy })
  }
}

export interface HostSupport {
  readonly platform: Platform
  readonly missing?: string
  readonly probe?: Probe
  readonly watcherPid?: number
}

export function hostSupport(): HostSupport {
  const { platform, addon, probe } = thisHost()
  if ('missing' in addon) return { platform, missing: addon.missing }
  const watcherPid = addon.watcherPid()
  return { platform, ...(probe && { probe }), ...(watcherPid > 0 ? { watcherPid } : {}) }
}
