import type { LaunchedProcess } from '../launch/launch.ts'

/** Returns a function that cancels the kill. */
export function endAfterGrace(process: LaunchedProcess, graceMs: number, atDeadline: boolean): () => void {
  process.terminate(atDeadline)
  const timer = setTimeout(() => process.destroy(), graceMs)
  return () => clearTimeout(timer)
}

export function killNow(process: LaunchedProcess): () => void {
  process.destroy()
  return () => {}
}
