/** Processes that a command left. */
export function processes(count: number, one: string, many: string): string {
  return `${count} background ${count === 1 ? `process ${one}` : `processes ${many}`}`
}

/** About processes that live on. Group 0: not known, as where the start of the command itself hangs. */
export function whereRunning(group: number, inGroup: string): string {
  return `still running${group > 0 ? inGroup : ': it could not be ended yet'}`
}

/** After a command that may leave none. */
export function survivorsText(count: number): string {
  return `${processes(count, 'was', 'were')} killed when the command ended`
}
