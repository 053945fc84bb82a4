import type { LaunchedProcess } from '../launch/launch.ts'

/** Asks the process group to end, and after the grace kills everything that the command started. Returns how to call it off. */
export function endAfterGrace(process: LaunchedProcess, graceMs: number, atDeadline: boolean): () => void {
  process.terminate(atDeadline)
  const timer = setTimeout(() => process.destroy(), graceMs)
  return () => clearTimeout(timer)
}

/** Kills everything that the command started, at once. */
export function killNow(process: LaunchedProcess): () => void {
  process.destroy()
  return () => {}
}
