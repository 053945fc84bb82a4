import { constants } from 'node:os'
import type { HostSupport } from '../internal.ts'
import type { System } from './system.ts'

/**
 * How a property of this system affects read mode. `blocks`: read mode is unavailable. `weakens`: read mode
 * works, but something besides it is missing. `note`: nothing is missing, but it explains what the user sees.
 */
export type TrapEffect = 'blocks' | 'weakens' | 'note'

export interface TrapFacts {
  readonly system: System
  readonly host: HostSupport
  readonly available: boolean
}

interface TrapRule {
  readonly effect: (found: TrapFacts) => TrapEffect
  readonly is: (found: TrapFacts) => boolean
}

const { errno } = constants
const always = (effect: TrapEffect) => () => effect
/** Since this ABI Landlock itself scopes signals; below it the listener must. */
const signalScopeAbi = 6
/** The kernel that introduced CONFIG_SECURITY_LANDLOCK. */
const firstWithLandlock = [5, 13] as const

/** In the order of the report. */
const rules = {
  'no-addon': {
    effect: always('blocks'),
    is: ({ host }) => host.platform === 'linux' && host.missing !== undefined,
  },
  'wsl-1': { effect: always('blocks'), is: ({ system }) => system.wsl === 1 },
  'old-kernel': {
    effect: always('blocks'),
    is: (found) => lacksLandlock(found, 'ENOSYS') && found.system.wsl !== 1 && isOlder(found.system.kernel),
  },
  'landlock-filtered': { effect: always('blocks'), is: isFiltered },
  'landlock-not-built': {
    effect: always('blocks'),
    is: (found) => lacksLandlock(found, 'ENOSYS') && !isFiltered(found) && !isOlder(found.system.kernel),
  },
  'landlock-disabled': { effect: always('blocks'), is: (found) => lacksLandlock(found, 'EOPNOTSUPP') },
  'no-seccomp': { effect: always('blocks'), is: ({ host }) => host.probe?.seccomp === false },
  'core-dumps': { effect: always('blocks'), is: ({ host }) => (host.probe?.coreDumpsErrno ?? 0) !== 0 },
  'no-pidfd': { effect: always('blocks'), is: ({ host }) => host.probe?.pidfd === false },
  'nested-listener': {
    effect: ({ host }) => ((host.probe?.landlockAbi ?? 0) < signalScopeAbi ? 'blocks' : 'weakens'),
    is: ({ host }) => host.probe?.listener === false && host.probe.listenerErrno === errno.EBUSY,
  },
  'no-listener': {
    effect: ({ host }) => ((host.probe?.landlockAbi ?? 0) < signalScopeAbi ? 'blocks' : 'weakens'),
    is: ({ host }) =>
      host.probe?.listener === false && host.probe.seccomp && host.probe.listenerErrno !== errno.EBUSY,
  },
  'listener-proves-nothing': {
    effect: always('note'),
    is: ({ host }) => host.probe?.listener === true && !host.probe.listenerProves,
  },
  'older-landlock': {
    effect: always('note'),
    is: ({ host }) =>
      host.probe !== undefined && host.probe.landlockAbi > 0 && host.probe.landlockAbi < signalScopeAbi,
  },
  'yama-paths': { effect: always('weakens'), is: ({ host }) => (host.probe?.yama ?? -1) >= 2 },
  'yama-orphans': { effect: always('note'), is: ({ host }) => host.probe?.yama === 1 },
  hidepid: {
    effect: ({ system }) => (hidesOwn(system) ? 'weakens' : 'note'),
    is: ({ system }) => system.hidepid !== undefined,
  },
  'memfd-noexec': {
    effect: ({ available }) => (available ? 'note' : 'blocks'),
    is: ({ system, host }) => system.memfdNoexec === 2 && host.probe !== undefined,
  },
  apparmor: { effect: always('note'), is: ({ system }) => system.apparmor !== undefined },
  selinux: { effect: always('note'), is: ({ system }) => system.selinux !== undefined },
} as const satisfies Readonly<Record<string, TrapRule>>

export type TrapId = keyof typeof rules

export interface Trap {
  readonly id: TrapId
  readonly effect: TrapEffect
}

export function trapsOf(found: TrapFacts): Trap[] {
  return (Object.entries(rules) as [TrapId, TrapRule][])
    .filter(([, { is }]) => is(found))
    .map(([id, { effect }]) => ({ id, effect: effect(found) }))
}

/** hidepid=ptraceable hides non-traceable processes from their own user, too: proc(5). */
export function hidesOwn({ hidepid }: System): boolean {
  return hidepid === '4' || hidepid === 'ptraceable'
}

function lacksLandlock({ host }: TrapFacts, name: keyof typeof errno): boolean {
  return host.probe?.landlockAbi === 0 && host.probe.landlockErrno === errno[name]
}

/**
 * Filters return EPERM, or ENOSYS for calls newer than themselves; then the kernel's list of modules decides.
 */
function isFiltered(found: TrapFacts): boolean {
  if (lacksLandlock(found, 'EPERM') || lacksLandlock(found, 'EACCES')) return true
  const { system } = found
  if (!lacksLandlock(found, 'ENOSYS') || isOlder(system.kernel)) return false
  return system.lsms?.includes('landlock') ?? system.filtered
}

function isOlder(kernel: string): boolean {
  const [major = 0, minor = 0] = kernel.split('.').map((part) => Number.parseInt(part, 10))
  return major < firstWithLandlock[0] || (major === firstWithLandlock[0] && minor < firstWithLandlock[1])
}
