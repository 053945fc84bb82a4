import type { LaunchedProcess } from '../launch/launch.ts'

/**
 * Asks the process group to end, and after the grace kills every process of the command. Returns a function
 * that cancels this.
 */
export function endAfterGrace(process: LaunchedProcess, graceMs: number, atDeadline: boolean): () => void {
  process.terminate(atDeadline)
  const timer = setTimeout(() => process.destroy(), graceMs)
  return () => clearTimeout(timer)
}

/** Kills every process of the command at once. */
export function killNow(process: LaunchedProcess): () => void {
  process.destroy()
  return () => {}
}
