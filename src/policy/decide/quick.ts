import type { PolicySettings } from './ruleset.ts'

/**
 * Whether a read-mode line needs to be read at all. Without rules of the user's own nothing is asked about there, and only
 * the built-in deny list can say no: these are the words it is about. A line that hides them is held by the sandbox.
 */
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
