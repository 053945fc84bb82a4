import type { Background } from '../../base/types.ts'
import { visible } from '../../base/visible.ts'

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
