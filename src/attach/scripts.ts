import { quoted } from '../base/text.ts'

/** A script for sh that becomes vitrine, with the script's own words behind. What a project sets for Node is not obeyed. */
export function startingScript(words: readonly string[], first = ''): string {
  return `#!/bin/sh
# Written by "vitrine attach"; "vitrine detach" removes it.
${first}unset NODE_OPTIONS NODE_PATH
exec ${words.map(quoted).join(' ')} "$@"
`
}
