import { type HostPattern, isCovered, parseHostPattern } from './hosts.ts'
import type { HostRules } from './rules.ts'

/** `true`: TCP and UDP clients; `false`: none; a list: TCP to these hosts, by the proxy. */
export type NetworkSetting = boolean | readonly string[]

export type NetworkKind = Network['kind']

/** What a command may connect to. */
export type Network =
  | { readonly kind: 'none' }
  | { readonly kind: 'all' }
  | { readonly kind: 'hosts'; readonly rules: HostRules; readonly asks: boolean }

export interface NetworkSettings {
  readonly deny: readonly string[]
  readonly check_sni: boolean
  readonly ask: boolean
}

/** The shell's network. Entries have been checked (`isHostPattern`). */
export function networkOf(
  setting: NetworkSetting,
  { deny, check_sni: checkSni, ask: asks }: NetworkSettings,
): Network {
  if (typeof setting === 'boolean') return { kind: setting ? 'all' : 'none' }
  // An empty list with an approver: every host is asked about.
  if (setting.length === 0 && !asks) return { kind: 'none' }
  return {
    kind: 'hosts',
    rules: { allow: [patternsOf(setting)], deny: patternsOf(deny), checkSni },
    asks,
  }
}

/** The network of one call: never more than the shell's. A call with a list of its own asks about no other host. */
export function narrowed(shell: Network, call: NetworkSetting, settings: NetworkSettings): Network {
  if (call === true || shell.kind === 'none') return shell
  if (call === false) return { kind: 'none' }
  if (shell.kind === 'all') return networkOf(call, { ...settings, ask: false })
  const { rules } = shell
  return { kind: 'hosts', rules: { ...rules, allow: [...rules.allow, patternsOf(call)] }, asks: false }
}

/** A name without a dot needs a port, unless it is localhost: `yes` and `ture` are no hosts. */
export function isHostPattern(text: string): boolean {
  return /[.:]|^localhost$/i.test(text) && parseHostPattern(text) !== undefined
}

/** Whether a list entry allows no more than a setting does. */
export function isWithin(text: string, setting: NetworkSetting): boolean {
  if (typeof setting === 'boolean') return setting
  const [inner] = patternsOf([text])
  return inner !== undefined && isCovered(inner, patternsOf(setting))
}

export function patternsOf(texts: readonly string[]): readonly HostPattern[] {
  return texts.flatMap((text) => parseHostPattern(text) ?? [])
}
