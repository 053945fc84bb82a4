import { constants } from 'node:os'
import type { HostSupport } from '../internal.ts'
import type { System } from './system.ts'

type Probe = NonNullable<HostSupport['probe']>

/** `blocks`: neither read nor workspace mode works. `weakens`: something else is missing. `note`: explains what users see. */
export type TrapEffect = 'blocks' | 'weakens' | 'note'

export interface TrapFacts {
  readonly system: System
  readonly host: HostSupport
  readonly available: boolean
}

type TrapRule = readonly [
  effect: TrapEffect | ((found: TrapFacts) => TrapEffect),
  applies: (found: TrapFacts) => boolean,
]

const { errno } = constants
/** Since this ABI Landlock itself scopes signals; below it the listener must. */
const signalScopeAbi = 6
/** The kernel that introduced CONFIG_SECURITY_LANDLOCK. */
const firstWithLandlock = [5, 13] as const

const withoutListener = ({ host }: TrapFacts) =>
  (host.probe?.landlockAbi ?? 0) < signalScopeAbi ? 'blocks' : 'weakens'

/** In the order of the report. */
const rules = {
  'no-addon': ['blocks', ({ host }) => host.platform === 'linux' && host.missing !== undefined],
  'wsl-1': ['blocks', ({ system }) => system.wsl === 1],
  'old-kernel': [
    'blocks',
    (found) => lacksLandlock(found, 'ENOSYS') && found.system.wsl !== 1 && isOlder(found.system.kernel),
  ],
  'landlock-filtered': ['blocks', isFiltered],
  'landlock-not-built': [
    'blocks',
    (found) => lacksLandlock(found, 'ENOSYS') && !isFiltered(found) && !isOlder(found.system.kernel),
  ],
  'landlock-disabled': ['blocks', (found) => lacksLandlock(found, 'EOPNOTSUPP')],
  'no-seccomp': ['blocks', ({ host }) => host.probe?.seccomp === false],
  'core-dumps': ['blocks', ({ host }) => (host.probe?.coreDumpsErrno ?? 0) !== 0],
  'no-pidfd': ['blocks', ({ host }) => host.probe?.pidfd === false],
  'nested-listener': [withoutListener, ({ host: { probe } }) => probe?.listener === false && isNested(probe)],
  'no-listener': [
    withoutListener,
    ({ host: { probe } }) => probe?.listener === false && probe.seccomp && !isNested(probe),
  ],
  'getfd-filtered': ['weakens', ({ host: { probe } }) => probe?.listener === true && probe.getfdErrno !== 0],
  'listener-proves-nothing': [
    'note',
    ({ host: { probe } }) => probe?.listener === true && !probe.listenerProves,
  ],
  'older-landlock': [
    'note',
    ({ host: { probe } }) =>
      probe !== undefined && probe.landlockAbi > 0 && probe.landlockAbi < signalScopeAbi,
  ],
  'yama-paths': ['weakens', ({ host }) => (host.probe?.yama ?? -1) >= 2],
  'yama-orphans': ['note', ({ host }) => host.probe?.yama === 1],
  hidepid: [
    ({ system }) => (hidesOwn(system) ? 'weakens' : 'note'),
    ({ system }) => system.hidepid !== undefined,
  ],
  'memfd-noexec': [
    ({ available }) => (available ? 'note' : 'blocks'),
    ({ system, host }) => system.memfdNoexec === 2 && host.probe !== undefined,
  ],
  apparmor: ['note', ({ system }) => system.apparmor !== undefined],
  selinux: ['note', ({ system }) => system.selinux !== undefined],
} as const satisfies Readonly<Record<string, TrapRule>>

export type TrapId = keyof typeof rules

export interface Trap {
  readonly id: TrapId
  readonly effect: TrapEffect
}

export function trapsOf(found: TrapFacts): Trap[] {
  return (Object.entries(rules) as [TrapId, TrapRule][])
    .filter(([, [, applies]]) => applies(found))
    .map(([id, [effect]]) => ({ id, effect: typeof effect === 'string' ? effect : effect(found) }))
}

function isNested({ listenerErrno }: Probe): boolean {
  return listenerErrno === errno.EBUSY
}

/** hidepid=ptraceable hides non-traceable processes from their own user, too: proc(5). */
function hidesOwn({ hidepid }: System): boolean {
  return hidepid === '4' || hidepid === 'ptraceable'
}

function lacksLandlock({ host }: TrapFacts, name: keyof typeof errno): boolean {
  return host.probe?.landlockAbi === 0 && host.probe.landlockErrno === errno[name]
}

/** Filters return EPERM, or ENOSYS for calls newer than themselves; then the list of modules decides. */
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
