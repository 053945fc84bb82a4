import { posix } from 'node:path'
import type { Mode } from '../../base/types.ts'
import type { PolicySettings } from './ruleset.ts'

/**
 * False: no rule could say anything about the line, so that it is not even parsed.
 * @param asks whether write mode asks about what is not on the safe list
 * @param own vitrine's own files under names of the user's
 */
export function needsReading(
  text: string,
  mode: Mode,
  settings: PolicySettings,
  { asks, own }: { readonly asks: boolean; readonly own: readonly string[] },
): boolean {
  const { preset, ask, deny, rule } = settings
  if (preset === 'analysis' || ask.length + deny.length + rule.length > 0) return true
  if (mode !== 'write') return false
  return asks || DISASTER.test(text) || own.some((path) => text.includes(posix.basename(path)))
}

/** A word of the deny list, or of vitrine's own files; or one that quotes may hide. */
const DISASTER =
  /\b(?:rm|mv)\b|\w[\\'"]+\w|mk\w*fs|mkswap|newfs|wipefs|blkdiscard|-delete|unlink|shred|srm|\bdd\b|\/dev\/(?!null\b)|vitrine|\(\s*\)/
