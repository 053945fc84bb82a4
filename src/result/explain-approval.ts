import type { Decision, Mode } from './result.ts'
import { visible } from './visible.ts'

/** The question at the terminal: what would run, where, why it is asked, and the answers. */
export function approvalQuestion(
  request: { readonly command: string; readonly cwd: string; readonly mode: Mode },
  decision: Decision,
): string {
  return [
    '',
    `vitrine: run this in ${request.mode} mode?`,
    `  ${visible(request.command)}`,
    `  in ${visible(request.cwd)}`,
    `  asked because: ${visible(decision.reason)}`,
    '[y]es  [n]o  [a]ll this session  [s] this command this session: ',
  ].join('\n')
}

/** After a key that is no answer. */
export const approvalReminder = '\nPlease press y, n, a or s: '
