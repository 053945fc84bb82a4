import { constants } from 'node:os'
import type { HostSupport } from '../internal.ts'
import type { System } from './system.ts'

/**
 * Something of this system that takes from read mode. `blocks`: there is none because of it. `weakens`: it holds, and something
 * beside it is missing. `note`: nothing is missing, but it explains what is seen.
 */
export type Effect = 'blocks' | 'weakens' | 'note'

/** What a trap is found by. */
export interface Found {
  readonly system: System
  readonly host: HostSupport
  /** Read mode can be opened. */
  readonly available: boolean
}

interface TrapRule {
  readonly effect: (found: Found) => Effect
  readonly is: (found: Found) => boolean
}

const { errno } = constants
const always = (effect: Effect) => () => effect
/** With this ABI Landlock itself keeps signals inside: without it the listener has to. */
const signalScopeAbi = 6
/** CONFIG_SECURITY_LANDLOCK came with it. */
const firstWithLandlock = [5, 13] as const

/** In the order in which they are told. */
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

/** A trap that was found. */
export interface Trap {
  readonly id: TrapId
  readonly effect: Effect
}

/** Every trap of this system. */
export function trapsOf(found: Found): Trap[] {
  return (Object.entries(rules) as [TrapId, TrapRule][])
    .filter(([, { is }]) => is(found))
    .map(([id, { effect }]) => ({ id, effect: effect(found) }))
}

/** Processes that do not let themselves be traced are hidden from their own user, too: proc(5). */
export function hidesOwn({ hidepid }: System): boolean {
  return hidepid === '4' || hidepid === 'ptraceable'
}

function lacksLandlock({ host }: Found, name: keyof typeof errno): boolean {
  return host.probe?.landlockAbi === 0 && host.probe.landlockErrno === errno[name]
}

/** Filters answer EPERM, or ENOSYS for what is newer than they are; then the kernel's own list of modules tells. */
function isFiltered(found: Found): boolean {
  if (lacksLandlock(found, 'EPERM') || lacksLandlock(found, 'EACCES')) return true
  const { system } = found
  if (!lacksLandlock(found, 'ENOSYS') || isOlder(system.kernel)) return false
  return system.lsms?.includes('landlock') ?? system.filtered
}

function isOlder(kernel: string): boolean {
  const [major = 0, minor = 0] = kernel.split('.').map((part) => Number.parseInt(part, 10))
  return major < firstWithLandlock[0] || (major === firstWithLandlock[0] && minor < firstWithLandlock[1])
}
