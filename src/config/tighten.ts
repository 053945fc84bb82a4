import { isDeepStrictEqual } from 'node:util'
import { isWithin, type NetworkSetting } from '../network/access.ts'
import { tomlText } from './toml.ts'

/** How a project's `.vitrine.toml` may change a key while the file is not trusted. */
export type ProjectRule =
  /** Only a smaller number. With `zero: 'infinite'`, 0 means no limit and counts as the largest. */
  | { readonly kind: 'min'; readonly zero: 'infinite' | 'least' }
  /** Only from left to right in `order`, loosest first. */
  | { readonly kind: 'one-way'; readonly order: readonly unknown[] }
  /** Adds to the list and removes nothing; entries for which `loosens` returns true are ignored. */
  | { readonly kind: 'union'; readonly loosens: (item: unknown) => boolean }
  /** Only hosts that are allowed already. */
  | { readonly kind: 'hosts' }
  /** Not at all. With `trusted: false` not even a trusted project file may set it. */
  | { readonly kind: 'never'; readonly trusted: boolean }

export const onlyTrusted: ProjectRule = { kind: 'never', trusted: true }
export const userOnly: ProjectRule = { kind: 'never', trusted: false }
export const onlyFewerHosts: ProjectRule = { kind: 'hosts' }
export const onlySmaller: ProjectRule = { kind: 'min', zero: 'least' }
export const minOrNone: ProjectRule = { kind: 'min', zero: 'infinite' }
export const oneWay = (...order: readonly (string | boolean)[]): ProjectRule => ({ kind: 'one-way', order })
export const addsAllBut = (loosens: (item: unknown) => boolean): ProjectRule => ({ kind: 'union', loosens })
export const onlyAdds = addsAllBut(() => false)

/** Why a value of a project file, or an entry of its list, is ignored. */
export type IgnoredBecause =
  /** It is looser than the value in force. */
  | 'loosens'
  /** Only a trusted project file may set the key, or hold such an entry. */
  | 'needs-trust'
  /** No project file may set the key. */
  | 'user-only'

/** After a project file's value was applied. `index`: an ignored list entry; without it all is ignored. */
export interface Tightened {
  readonly value: unknown
  readonly ignored: readonly { readonly index?: number; readonly why: IgnoredBecause }[]
}

/** Applies an untrusted project file's value: it may tighten, never loosen. */
export function tighten(rule: ProjectRule, inForce: unknown, offered: unknown): Tightened {
  if (rule.kind === 'union') return added(inForce, offered, rule.loosens)
  if (isDeepStrictEqual(inForce, offered)) return taken(inForce)
  switch (rule.kind) {
    case 'hosts':
      return fewerHosts(inForce as NetworkSetting, offered as NetworkSetting)
    case 'never':
      return refused(inForce, rule.trusted ? 'needs-trust' : 'user-only')
    case 'min':
      return unlessLooser(extent(rule.zero, offered) <= extent(rule.zero, inForce), inForce, offered)
    case 'one-way':
      return unlessLooser(rule.order.indexOf(offered) >= rule.order.indexOf(inForce), inForce, offered)
  }
}

/** Applies a trusted project file's value: it replaces the one in force, but a `union` list only grows. */
export function applyTrusted(rule: ProjectRule, inForce: unknown, offered: unknown): Tightened {
  if (rule.kind === 'union') return added(inForce, offered, () => false)
  if (rule.kind === 'never' && !rule.trusted) return tighten(rule, inForce, offered)
  return taken(offered)
}

function taken(value: unknown): Tightened {
  return { value, ignored: [] }
}

function refused(inForce: unknown, why: IgnoredBecause): Tightened {
  return { value: inForce, ignored: [{ why }] }
}

function unlessLooser(isTighter: boolean, inForce: unknown, offered: unknown): Tightened {
  return isTighter ? taken(offered) : refused(inForce, 'loosens')
}

/** Entries that are not allowed already are ignored one by one. */
function fewerHosts(inForce: NetworkSetting, offered: NetworkSetting): Tightened {
  if (offered === true) return refused(inForce, 'loosens')
  if (offered === false || inForce === true) return taken(offered)
  if (inForce === false) return offered.length === 0 ? taken(false) : refused(inForce, 'loosens')
  const ignored = offered.flatMap((text, index) =>
    isWithin(text, inForce) ? [] : [{ index, why: 'loosens' as const }],
  )
  return { value: offered.filter((text) => isWithin(text, inForce)), ignored }
}

function extent(zero: 'infinite' | 'least', value: unknown): number {
  return zero === 'infinite' && value === 0 ? Number.POSITIVE_INFINITY : Number(value)
}

function added(inForce: unknown, offered: unknown, loosens: (item: unknown) => boolean): Tightened {
  const before = inForce as readonly unknown[]
  const known = new Set(before.map(tomlText))
  const fresh: unknown[] = []
  const ignored: { index: number; why: IgnoredBecause }[] = []
  for (const [index, item] of (offered as readonly unknown[]).entries()) {
    const text = tomlText(item)
    if (known.has(text)) continue
    known.add(text)
    if (loosens(item)) ignored.push({ index, why: 'needs-trust' })
    else fresh.push(item)
  }
  return { value: fresh.length === 0 ? inForce : [...before, ...fresh], ignored }
}
