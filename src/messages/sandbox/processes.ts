/** Processes that a command left. */
export function processes(count: number, one: string, many: string): string {
  return `${count} background ${count === 1 ? `process ${one}` : `processes ${many}`}`
}

/** After a command that may leave none. */
export function survivorsText(count: number): string {
  return `${processes(count, 'was', 'were')} killed when the command ended`
}

/** Said within a command, in place of an editor. Plain characters only: each line stands in double quotes of a shell. */
export const noTerminalForEditor = [
  'vitrine: this opens an editor, and the command has no terminal for one',
  'vitrine: give the text by an option (git commit -m TEXT, --no-edit), or set GIT_EDITOR, GIT_SEQUENCE_EDITOR or EDITOR to a command that edits the file (GIT_EDITOR=true takes it as it is)',
]
