import { constants } from 'node:os'
import type { Unavailable } from '../base/refusal.ts'
import type { HostSupport } from '../internal.ts'
import type { System } from './system.ts'

/** `blocks`: neither read nor workspace mode works. `weakens`: something else is missing. */
export type TrapEffect = 'blocks' | 'weakens'

/** A known problem of systems, beyond what the refusal of read mode says. */
export interface Trap {
  readonly id: string
  readonly effect: TrapEffect
  readonly seen: string
  /** One step per line. vitrine does none of that itself. */
  readonly fix: readonly string[]
}

type Probe = NonNullable<HostSupport['probe']>

export interface Found {
  readonly system: System
  readonly host: HostSupport
  readonly unavailable: Unavailable | undefined
}

interface Row {
  readonly effect: (probe: Probe) => TrapEffect
  readonly applies: (probe: Probe, found: Found) => boolean
  readonly seen: (probe: Probe, system: System) => string
  readonly fix: (system: System) => readonly string[]
}

const { errno } = constants
const blocks = () => 'blocks' as const
const weakens = () => 'weakens' as const
/** Since ABI 6 Landlock itself scopes signals; below it the listener must. */
const withoutListener = ({ landlockAbi }: Probe) => (landlockAbi < 6 ? 'blocks' : 'weakens')
const listenerWords = 'refusals are not reported, and sweeping an ended command scans all processes'
const landlockCalls = 'landlock_create_ruleset, landlock_add_rule and landlock_restrict_self'

const rows: Readonly<Record<string, Row>> = {
  'old-kernel': {
    effect: blocks,
    applies: (probe, { system }) => lacksLandlock(probe, 'ENOSYS') && isOlder(system),
    seen: (_, { kernel }) => `the kernel ${kernel} is too old for Landlock (5.13)`,
    fix: (system) => [
      `Run Linux 5.13 or newer${onMachine(system)}; 6.12 and newer have every Landlock feature that vitrine uses.`,
      ...(system.wsl ? ['In PowerShell: wsl --update; WSL 1: wsl --set-version DISTRIBUTION 2.'] : []),
    ],
  },
  'landlock-filtered': {
    effect: blocks,
    applies: (probe, { system }) => isFiltered(probe, system),
    seen: (_, system) =>
      `a seccomp filter around this process blocks the landlock_* calls${inContainer(system)}`,
    fix: () => [
      `Make what starts vitrine allow ${landlockCalls}: SystemCallFilter= of a systemd unit, --security-opt seccomp=PROFILE.json of Docker (allowed since 23.0) and Podman, seccompProfile of Kubernetes.`,
      'Run vitrine outside Snap, Flatpak and the sandboxes of other agents.',
    ],
  },
  // Documentation/userspace-api/landlock.rst, boot time configuration: landlock goes to the front of the list.
  'landlock-disabled': {
    effect: blocks,
    applies: (probe) => lacksLandlock(probe, 'EOPNOTSUPP'),
    seen: (_, { lsms = [] }) =>
      `Landlock is built into the kernel but not among its active security modules (${lsms.join(',')})`,
    fix: (system) => [
      `Add lsm=${['landlock', ...(system.lsms ?? ['...'])].join(',')} to the kernel's command line${onMachine(system)}, and reboot. cat /sys/kernel/security/lsm shows the modules to keep; GRUB has the line in /etc/default/grub.`,
    ],
  },
  'core-dumps': {
    effect: blocks,
    applies: ({ coreDumpsErrno }) => coreDumpsErrno !== 0,
    seen: () =>
      'core dumps would leave the sandbox: kernel.core_pattern sends them to a socket ("@"), or to a program ("|") that starts even at a hard limit of 0',
    fix: () => [
      'As root: sysctl -w kernel.core_pattern=core, permanently in /etc/sysctl.d. It applies to the whole machine, including its containers.',
      'If it begins with "|": a hard limit of core dumps of 1 or more is enough (limits.conf, LimitCORE=, docker run --ulimit core=1).',
    ],
  },
  'nested-listener': {
    effect: withoutListener,
    applies: ({ listener, listenerErrno }) => !listener && listenerErrno === errno.EBUSY,
    seen: () =>
      `this process already runs under a seccomp listener, and only one is possible (vitrine in vitrine, or a container that intercepts calls): ${listenerWords}`,
    fix: () => [
      'Run vitrine outside the other one. LXD: set security.syscalls.intercept.* of the container to false.',
    ],
  },
  'no-listener': {
    effect: withoutListener,
    applies: ({ seccomp, listener, listenerErrno }) => seccomp && !listener && listenerErrno !== errno.EBUSY,
    seen: () => `no seccomp listener can be installed (Linux 5.0): ${listenerWords}`,
    fix: () => ['Run a newer kernel, or a container runtime that allows SECCOMP_FILTER_FLAG_NEW_LISTENER.'],
  },
  'getfd-filtered': {
    effect: weakens,
    applies: ({ listener, getfdErrno }) => listener && getfdErrno !== 0,
    seen: (_, system) =>
      `a seccomp filter around this process blocks pidfd_getfd${inContainer(system)}: read and workspace mode refuse bind(2) to an address, so ip and ss fail, and exclusive flock(2)`,
    fix: () => [
      'Allow the call: docker run --cap-add SYS_PTRACE; Kubernetes: capabilities.add: [SYS_PTRACE]; a systemd unit: SystemCallFilter=.',
    ],
  },
  'yama-paths': {
    effect: weakens,
    applies: ({ yama }) => yama >= 2,
    seen: ({ yama }) =>
      `Yama (ptrace_scope ${yama}) hides the memory of commands: reports lack paths, and refusals to open for writing are not reported`,
    fix: () => [
      'Set kernel.yama.ptrace_scope = 1 in /etc/sysctl.d/10-ptrace.conf and reboot; sudo sysctl kernel.yama.ptrace_scope=1 lowers 2 at once.',
    ],
  },
  'memfd-noexec': {
    effect: blocks,
    applies: (_, { system, unavailable }) => unavailable !== undefined && system.memfdNoexec === 2,
    seen: () =>
      'vm.memfd_noexec is 2: the watcher starts from an unnamed file in /tmp instead of from memory',
    fix: () => ['sudo sysctl vm.memfd_noexec=1, or mount /tmp without noexec.'],
  },
}

/** In the order of the report. */
export function trapsOf(found: Found): Trap[] {
  const { probe, missing, platform } = found.host
  if (platform !== 'linux') return []
  if (missing !== undefined) return [noAddon(missing)]
  if (probe === undefined) return []
  return Object.entries(rows)
    .filter(([, { applies }]) => applies(probe, found))
    .map(([id, { effect, seen, fix }]) => {
      return { id, effect: effect(probe), seen: seen(probe, found.system), fix: fix(found.system) }
    })
}

function noAddon(missing: string): Trap {
  return {
    id: 'no-addon',
    effect: 'blocks',
    seen: `the native addon did not load: ${missing}`,
    fix: [
      'Reinstall the package: it has prebuilt addons for Linux on x64 and arm64 (glibc and musl).',
      'In a checkout: npm run build (needs a C++ compiler and python3).',
    ],
  }
}

function lacksLandlock({ landlockAbi, landlockErrno }: Probe, name: keyof typeof errno): boolean {
  return landlockAbi === 0 && landlockErrno === errno[name]
}

/** Filters return EPERM, or ENOSYS for calls newer than themselves; then the list of modules decides. */
function isFiltered(probe: Probe, system: System): boolean {
  if (lacksLandlock(probe, 'EPERM') || lacksLandlock(probe, 'EACCES')) return true
  if (!lacksLandlock(probe, 'ENOSYS') || isOlder(system)) return false
  return system.lsms?.includes('landlock') ?? system.filtered
}

/** Than 5.13, the first with Landlock. */
function isOlder({ kernel }: System): boolean {
  const [major = 0, minor = 0] = kernel.split('.').map((part) => Number.parseInt(part, 10))
  return major < 5 || (major === 5 && minor < 13)
}

function inContainer({ container }: System): string {
  return container === undefined ? '' : ` (${container})`
}

function onMachine({ container }: System): string {
  return container === undefined ? '' : ' (on the machine that runs the container)'
}
