import { quoted } from '../base/text.ts'

const head = '#!/bin/sh\n# Written by "vitrine attach"; "vitrine detach" removes it.\n'
/** What a project sets for Node is not obeyed. */
const plainNode = 'unset NODE_OPTIONS NODE_PATH\n'

/** A script for sh that becomes vitrine, with the script's own words behind. */
export function startingScript(words: readonly string[], first = ''): string {
  return `${head}${first}${plainNode}exec ${words.map(quoted).join(' ')} "$@"\n`
}

/** A client takes an exit code without a reason for a hook that failed, and lets the call pass. */
export const unanswered = `{ [ $? = 2 ] || echo 'vitrine: it did not judge this call, which is refused.' >&2; exit 2; }`

/** A script for sh that refuses a call unless vitrine answers: that it ends without an error is not enough. */
export function judgingScript(words: readonly string[], first = ''): string {
  return `${head}${first}${plainNode}said=$(${words.map(quoted).join(' ')}) || ${unanswered}
[ -n "$said" ] || ${unanswered}
printf '%s\\n' "$said"
`
}
