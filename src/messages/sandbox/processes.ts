/** Processes that a command left. */
export function processes(count: number, one: string, many: string): string {
  return `${count} background ${count === 1 ? `process ${one}` : `processes ${many}`}`
}

/** After a command that may leave none. */
export function survivorsText(count: number): string {
  return `${processes(count, 'was', 'were')} killed when the command ended`
}
