import { visible } from '../../base/text.ts'
import type { Background } from '../../base/types.ts'

/** Processes that a command left. */
export function processes(count: number, one: string, many: string): string {
  return `${count} background ${count === 1 ? `process ${one}` : `processes ${many}`}`
}

/** After a command that may leave none. */
export function survivorsText(count: number): string {
  return `${processes(count, 'was', 'were')} killed when the command ended`
}

/** Processes that live on outside of their command's group, which a signal to the group does not reach. */
export function leftText(left: NonNullable<Background['left']>): string {
  const named = left.map(({ pid, program }) => `${visible(program) || 'a program'} (process ${pid})`)
  return `still running in a session or group of its own: ${named.join(', ')}; to end: kill ${left.map(({ pid }) => pid).join(' ')}`
}

/** Said within a command, in place of an editor. Plain characters only: each line stands in double quotes of a shell. */
export const noTerminalForEditor = [
  'vitrine: this opens an editor, and the command has no terminal for one',
  'vitrine: give the text by an option (git commit -m TEXT, --no-edit), or set GIT_EDITOR, GIT_SEQUENCE_EDITOR or EDITOR to a command that edits the file (GIT_EDITOR=true takes it as it is)',
]
