import type { PolicySettings } from './ruleset.ts'

/** False: without user rules only the deny list applies, and the line has none of its words. */
export function needsReading(
  text: string,
  settings: PolicySettings & { readonly workspace: string },
): boolean {
  const { preset, ask, deny, rule, workspace } = settings
  const plain = preset !== 'analysis' && ask.length + deny.length + rule.length === 0 && workspace === ''
  return (
    !plain ||
    /\brm\b|mk\w*fs|mkswap|newfs|wipefs|blkdiscard|-delete|unlink|shred|srm|\bdd\b|\/dev\/(?!null\b)|vitrine|\(\s*\)/.test(
      text,
    )
  )
}
