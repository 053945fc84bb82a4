import { quoted } from '../base/text.ts'

/** What rewritten lines start. Gemini takes `bash -c` off a line, whatever its directory, and runs the rest. */
export const shellName = 'vitrine-sh'

/** A script for sh that becomes vitrine, with the script's own words behind. What a project sets for Node is not obeyed. */
export function startingScript(words: readonly string[], first = ''): string {
  return `#!/bin/sh
# Written by "vitrine attach"; "vitrine detach" removes it.
${first}unset NODE_OPTIONS NODE_PATH
exec ${words.map(quoted).join(' ')} "$@"
`
}

const noAnswer =
  'vitrine: refused, because its hook gave no answer. Tell the user to run "vitrine attach" again.'

/**
 * A script that has vitrine judge a call, and refuses (2) whatever else than an answer comes of it. `seconds` must be less than the time
 * that the client gives it: most clients let a call pass whose hook is late.
 */
export function judgingScript(words: readonly string[], seconds: number): string {
  return `#!/bin/sh
# Written by "vitrine attach"; "vitrine detach" removes it.
unset NODE_OPTIONS NODE_PATH
answer=$(timeout -k 1 ${seconds} ${words.map(quoted).join(' ')})
code=$?
[ "$code" -eq 2 ] && exit 2
[ "$code" -eq 0 ] && [ -n "$answer" ] && printf '%s\\n' "$answer" && exit 0
echo ${quoted(noAnswer)} >&2
exit 2
`
}
