import { join } from 'node:path'
import { quoted } from '../base/text.ts'
import type { Place } from './client.ts'
import type { Piece } from './pieces.ts'

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

/** What most clients let a call pass for is a hook that is late: so vitrine is ended before. */
export function inTime(words: readonly string[]): readonly string[] {
  return ['timeout', '-k', '1', '15', ...words]
}

/** What rewritten lines start. Gemini takes `bash -c` off a line, whatever its directory, and runs the rest. */
const shellName = 'vitrine-sh'

export function shellIn(directory: string): string {
  return join(directory, shellName)
}

/** The line that has a command run held. */
export function heldLine(command: string, directory: string): string {
  return `${quoted(shellIn(directory))} -c ${quoted(command)}`
}

/** What the client starts as its shell. */
export function shellPiece(name: string, { mode, program }: Place, file: string, first = ''): Piece {
  const text = startingScript([...program, 'sh', '--client', name, '--mode', mode, '--'], first)
  return { kind: 'file', file, mode: 0o755, text, what: `the shell, in ${mode} mode` }
}

/** What judges its calls. */
export function hookPiece(name: string, { directory, mode, program }: Place, first = ''): Piece {
  const text = judgingScript(inTime([...program, 'hook', name, '--mode', mode]), first)
  return { kind: 'file', file: join(directory, 'hook'), mode: 0o755, text, what: 'the hook' }
}
