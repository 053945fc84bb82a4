import { posix } from 'node:path'
import type { PolicySettings } from './ruleset.ts'

// Whether a line has to be parsed. What parses it is loaded only then.

/** Whether the settings say something in every mode. If not, a line of read or workspace mode is not even parsed. */
export function rulesEveryMode({ preset, ask, deny, rule }: PolicySettings): boolean {
  return preset === 'analysis' || ask.length + deny.length + rule.length > 0
}

/**
 * Whether write mode may deny a line about which no approver is asked. If not, it is not even parsed.
 * @param own vitrine's own files under names of the user's
 */
export function mayBeDenied(text: string, own: readonly string[]): boolean {
  return DISASTER.test(text) || own.some((path) => text.includes(posix.basename(path)))
}

/** A word of the deny list, or of vitrine's own files; or one that quotes may hide. */
const DISASTER =
  /\b(?:rm|mv)\b|\w[\\'"]+\w|mk\w*fs|mkswap|newfs|wipefs|blkdiscard|-delete|unlink|shred|srm|\bdd\b|\/dev\/(?!null\b)|vitrine|\(\s*\)/
