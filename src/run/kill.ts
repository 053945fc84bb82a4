import type { LaunchedProcess } from '../launch/launch.ts'

/** Terminates the process group, and kills every process after the grace. Returns a cancel function. */
export function endAfterGrace(process: LaunchedProcess, graceMs: number, atDeadline: boolean): () => void {
  process.terminate(atDeadline)
  const timer = setTimeout(() => process.destroy(), graceMs)
  return () => clearTimeout(timer)
}

export function killNow(process: LaunchedProcess): () => void {
  process.destroy()
  return () => {}
}
